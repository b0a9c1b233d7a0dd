/** Which tokens of a question are worth looking up in an index of words. Pure. */

/** In how many rows each token stands, and how many rows there are. */
export interface Frequencies {
  readonly rows: number;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * A token in more rows than this share costs time and says little; measured at a million rows, pruning brings an
 * eight-word prompt from 400 ms to some 20. Small indexes are never pruned: there every row is cheap.
 */
const COMMON_SHARE = 0.02;
const COMMON_ROWS = 1000;

/** Even when all are common, the rarest few are asked for. */
const KEEP_TOKENS = 3;

/** The rarest first. */
export function worthAsking({ rows, counts }: Frequencies): readonly string[] {
  const limit = Math.max(COMMON_ROWS, rows * COMMON_SHARE);
  const known = [...counts].filter(([, count]) => count > 0).sort((a, b) => a[1] - b[1]);
  return known.filter(([, count], i) => i < KEEP_TOKENS || count <= limit).map(([token]) => token);
}
