/** What words and meaning say of the same candidates → one order, the best being 1. Pure. */
import type { QueryVector } from '../../database/index.ts';
import { COSINE_SPREAD, MEANING } from './weights.ts';

/** Which of the two decides; both where there is a vector of the question. */
export type By = 'words' | 'meaning' | 'both';

/**
 * Each measure relative to its best, then added. Not ranks: equal weight by rank loses to words alone, because a near miss
 * in meaning stands as high as a hit. A candidate without a vector yet counts as middling.
 */
export function fuse(
  words: readonly number[],
  cosines: readonly (number | undefined)[] = [],
  by: By = 'both',
): readonly number[] {
  const known = cosines.filter((cosine) => cosine !== undefined);
  if (by === 'words' || known.length === 0) return relative(words);
  const middling = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  const near = relative(words.map((_, i) => cosines[i] ?? middling));
  if (by === 'meaning') return near;
  const worded = relative(words);
  return relative(words.map((_, i) => (worded[i] ?? 0) + MEANING.weight * (near[i] ?? 0)));
}

/** What was found with cosines as the default model would have them, so that the same numbers fit every model. */
export function comparable<T extends { readonly cosine?: number }>(
  found: readonly T[],
  vector: QueryVector | undefined,
): readonly T[] {
  const spread = COSINE_SPREAD[vector?.model ?? ''];
  if (spread === undefined) return found;
  return found.map((one) =>
    one.cosine === undefined ? one : { ...one, cosine: 1 - (1 - one.cosine) * spread },
  );
}

export function relative(values: readonly number[]): readonly number[] {
  const best = Math.max(0, ...values);
  return best === 0 ? values.map(() => 0) : values.map((value) => Math.max(0, value) / best);
}
