/** Reads the labels of a project for the examples of training. Pure. */
import type { LabelWord } from '../bench/label-words.ts';
import type { Keep } from '../bench/labelled-sessions.ts';

/** Returns what the end of a label does to its memory. */
export function endingOf(
  { kind, by }: Pick<Keep, 'kind' | 'by'>,
  keep: readonly Pick<Keep, 'id' | 'kind'>[],
): 'resolves' | 'supersedes' {
  const isOpenAgain = keep.find(({ id }) => id === by)?.kind === 'issue';
  return !isOpenAgain && (kind === 'issue' || kind === 'bugfix') ? 'resolves' : 'supersedes';
}

/** Share of the first words that are in the second. */
export function shareOf(words: readonly LabelWord[], others: readonly LabelWord[]): number {
  if (words.length === 0) return 0;
  const known = new Set(others.flat());
  return words.filter((forms) => forms.some((form) => known.has(form))).length / words.length;
}
