/** Several measures of the same candidates → one order, the best being 1. Pure. */

/** Each measure is taken relative to its best. */
export function fuse(words: readonly number[]): readonly number[] {
  const best = Math.max(0, ...words);
  return best === 0 ? words.map(() => 0) : words.map((value) => value / best);
}
