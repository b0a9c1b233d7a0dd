/** Says how well a text names the titles of memories, by the rarity of the shared words among these titles. Pure. */
import type { Memory } from '../core/index.ts';
import { titleWords } from '../database/index.ts';

/** Words of a title below which it does not get easier to name. */
const SHORT_TITLE = 4;

/** Returns a function that takes a text and returns the fit of each memory: 0 without a shared word. */
export function titleFit(memories: readonly Memory[]): (text: string) => (memory: Memory) => number {
  const wordsOf = new Map(memories.map((memory) => [memory, [...new Set(titleWords(memory.title))]]));
  const counts = new Map<string, number>();
  for (const word of [...wordsOf.values()].flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarity = (word: string): number => Math.log(1 + memories.length / (counts.get(word) ?? 1));
  return (text) => {
    const said = new Set(titleWords(text));
    return (memory) => {
      const words = wordsOf.get(memory) ?? [];
      const shared = words.filter((word) => said.has(word));
      return (
        shared.reduce((sum, word) => sum + rarity(word), 0) / Math.sqrt(Math.max(SHORT_TITLE, words.length))
      );
    };
  };
}
