/**
 * Turns the words of a query into expressions for the full text. Finding a row is quick, scoring it takes ten times as
 * long: very common words are left out, and a query of common words is narrowed to rows that contain several. Pure.
 */

/** The number of rows that contain each token, and the number of all rows. */
export interface Frequencies {
  readonly rows: number;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * A token in a larger share of the rows takes time and says little. At a million rows, leaving such tokens out shortens a
 * prompt of eight words from 400 ms to some 20. In a small index no token is left out.
 */
const COMMON_SHARE = 0.02;
const COMMON_ROWS = 1000;

/** The rarest tokens are searched even if all are common. */
const KEEP_TOKENS = 3;

/** Returns the tokens worth searching for, rarest first. */
export function worthAsking({ rows, counts }: Frequencies): readonly string[] {
  const limit = Math.max(COMMON_ROWS, rows * COMMON_SHARE);
  const known = [...counts].filter(([, count]) => count > 0).sort((a, b) => a[1] - b[1]);
  return known.filter(([, count], i) => i < KEEP_TOKENS || count <= limit).map(([token]) => token);
}

/** A token and the number of searched rows that contain it. */
export interface Counted {
  readonly token: string;
  readonly count: number;
}

export interface Narrowed {
  /** Expressions whose results are combined. */
  readonly together: readonly string[];
  /** An additional expression if those find too few rows. */
  readonly otherwise?: string;
}

/** This many rows are scored in some seven milliseconds. Most queries need fewer. */
const SCORED_ROWS = 12_000;

/** If fewer rows contain the rare words, a row with only the common words may match better. */
const ENOUGH_ROWS = 2000;

/** `tokens` has the rarest first; `column` is the one that summarises a row. */
export function narrowed(tokens: readonly Counted[], rows: number, column: string): Narrowed {
  if (sum(tokens) <= SCORED_ROWS) return { together: [anyOf(tokens)] };
  const fits = tokens.findIndex((_, i) => sum(tokens.slice(0, i + 1)) > SCORED_ROWS);
  const rare = tokens.slice(0, fits);
  const common = tokens.slice(fits);
  // Together they score every row with a rare word as if all words were searched.
  const withRare = rare.length === 0 ? [] : [`(${anyOf(rare)}) AND (${anyOf(common)})`, anyOf(rare)];
  if (sum(rare) >= ENOUGH_ROWS) return { together: withRare };
  return { together: [...withRare, several(common, rows, column)], otherwise: rarestWithAny(common) };
}

/** Matches any of the tokens. */
export function anyOf(tokens: readonly Pick<Counted, 'token'>[]): string {
  return tokens.map(quoted).join(' OR ');
}

/** Matches all of the tokens. */
export function allOf(tokens: readonly Pick<Counted, 'token'>[]): string {
  return tokens.map(quoted).join(' AND ');
}

/** Requires as many common words as leave few rows; a single word must be in the summarising column. */
function several(common: readonly Counted[], rows: number, column: string): string {
  const [rarest, ...others] = common;
  if (!rarest) return '';
  if (others.length === 0) return `${column} : ${quoted(rarest)}`;
  const together = [rarest];
  let expected = rarest.count;
  for (const other of others) {
    if (expected <= SCORED_ROWS) break;
    together.push(other);
    expected *= other.count / Math.max(1, rows);
  }
  return allOf(together);
}

function rarestWithAny([rarest, ...others]: readonly Counted[]): string {
  if (!rarest) return '';
  return others.length === 0 ? quoted(rarest) : `${quoted(rarest)} AND (${anyOf(others)})`;
}

function sum(tokens: readonly Counted[]): number {
  return tokens.reduce((total, { count }) => total + count, 0);
}

function quoted({ token }: Pick<Counted, 'token'>): string {
  return `"${token.replaceAll('"', '""')}"`;
}
