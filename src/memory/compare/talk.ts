/** Tells how much two parts of conversations are about the same subject: by the rare words that both contain. Pure. */
import { queryWords, tokensOf, type Frequencies } from '../../database/index.ts';

/** Added rows without any of the words: with a handful of turns every word looks common. */
const PSEUDO_ROWS = 200;

/** Returns the tokens that tell what a text is about. */
export function topicTokens(text: string): ReadonlySet<string> {
  return new Set(
    queryWords(text)
      .filter(({ weak }) => !weak)
      .flatMap(tokensOf),
  );
}

/** Between 0 and 1: the weight of the shared tokens, relative to both texts. A token of a few turns weighs far more than a common one. */
export function likenessOfTalk(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
  { rows, counts }: Frequencies,
): number {
  const total = rows + PSEUDO_ROWS;
  const weightOf = (token: string): number => {
    const count = counts.get(token) ?? 0;
    return count === 0 ? 0 : (Math.log(1 + total / count) / Math.log(1 + total)) ** 2;
  };
  const sum = (tokens: readonly string[]): number => tokens.reduce((all, token) => all + weightOf(token), 0);
  const size = Math.sqrt(sum([...a]) * sum([...b]));
  return size === 0 ? 0 : sum([...a].filter((token) => b.has(token))) / size;
}
