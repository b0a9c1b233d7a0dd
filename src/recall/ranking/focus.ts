/**
 * Chooses what the small model reads of a long prompt: it sees about 200 characters, and a pasted log or a plan says what
 * matters anywhere. Takes the beginning, and the parts that share words with the memory. Pure.
 */
import { queryWords, tokensOf } from '../../database/index.ts';
import { READING } from './weights.ts';

/** Longer prompts are cut in the middle: a log of megabytes must not take time. */
const MOST_CHARS = { start: 3000, end: 1000 } as const;
/** Ends of lines and sentences. */
const ENDS = /\n+|(?<=[.!?;:])\s+/;
/** A longer part is divided, at a space if there is one. */
const PART = /.{1,120}(?:\s|$)|.{120}/gs;
/** The beginning says what is asked; more of it leaves no room for the rest. */
const BEGINNING_CHARS = 90;
/** Too little to say anything. */
const LEAST_CHARS = 25;
/** Worth of the end of a prompt without a shared word: it often says what to do with what was pasted. */
const END_WORTH = 0.2;

/** How telling a token is: 0 for one that no memory has. */
export type Rarity = (token: string) => number;

/**
 * Returns a function that gives the part of the prompt to read with a memory's text.
 * @param rarities asked only for a long prompt, because it reads the index
 */
export function focusOf(prompt: string, rarities: () => Rarity): (memory: string) => string {
  if (prompt.length <= READING.promptChars) return () => prompt;
  const rarity = rarities();
  const [beginning = '', ...rest] = partsOf(shortened(prompt));
  const start = beginning.slice(0, BEGINNING_CHARS);
  const parts = rest.map((text, at) => ({
    text,
    at,
    words: queryWords(text)
      .filter(({ weak }) => !weak)
      .map(tokensOf),
    worth: at === rest.length - 1 ? END_WORTH : 0,
  }));
  return (memory) => {
    const known = new Set(queryWords(memory).flatMap(tokensOf));
    const shared = (words: readonly (readonly string[])[]): number =>
      [...new Set(words.flatMap((tokens) => tokens.find((token) => known.has(token)) ?? []))].reduce(
        (sum, token) => sum + rarity(token),
        0,
      );
    const best = parts
      .map(({ text, at, words, worth }) => ({ text, at, worth: worth + shared(words) }))
      .toSorted((a, b) => b.worth - a.worth || a.at - b.at);
    return [start, ...fitting(best, READING.promptChars - start.length)].join(' ');
  };
}

/** Takes the best parts that there is room for, and returns them in their order in the prompt. */
function fitting(
  best: readonly { readonly text: string; readonly at: number }[],
  room: number,
): readonly string[] {
  let left = room;
  const taken: { readonly text: string; readonly at: number }[] = [];
  for (const { text, at } of best) {
    if (left < LEAST_CHARS) break;
    taken.push({ text: text.slice(0, left), at });
    left -= text.length + 1;
  }
  return taken.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
}

function shortened(prompt: string): string {
  const { start, end } = MOST_CHARS;
  return prompt.length <= start + end ? prompt : `${prompt.slice(0, start)}\n${prompt.slice(-end)}`;
}

function partsOf(prompt: string): readonly string[] {
  return prompt
    .split(ENDS)
    .flatMap((text) => text.match(PART) ?? [])
    .map((text) => text.trim())
    .filter(Boolean);
}
