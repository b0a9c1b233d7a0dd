/** Tells whether two texts answer the same question: they contain nearly the same words of it. Pure. */
import { telling, type WeighedWord } from './score.ts';
import { SAME_QUESTION } from './weights.ts';

/** `a` and `b`: the words of the question that each contains. */
export function haveSameWords(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
  words: readonly WeighedWord[],
): boolean {
  const either = massOf(words, (word) => a.has(word) || b.has(word));
  return massOf(words, (word) => a.has(word) && b.has(word)) >= SAME_QUESTION.words * either;
}

/** The weight of the chosen words: a rare one counts about 1, a common one little. */
export function massOf(words: readonly WeighedWord[], isChosen: (word: string) => boolean): number {
  return telling(words).reduce((sum, { word, weight }) => sum + (isChosen(word.surface) ? weight : 0), 0);
}
