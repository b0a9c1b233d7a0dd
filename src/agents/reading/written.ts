/**
 * Finds the words that an edit brings into a file, to see later whether the agent follows a memory. They exist in memory
 * only: `redactTurn` drops them, so nothing of a file's content is stored. Pure.
 */
import { objectsIn, textOf, type JsonObject } from './json.ts';

/** Text of one edit or result that is looked at; the rest of a longer one is generated or data. */
const LONGEST = 100_000;
/** Words of one edit; a larger one writes a whole library. */
const MOST_WORDS = 1000;
/** Shorter words are in every file. Numbers count from two digits on. */
const WORD = /[\p{L}_$@][\p{L}\p{N}_$-]{2,63}|\d{2,12}(?![\p{L}\p{N}])/gu;

/** Returns the words of an edit's new text that its old text does not contain. */
export function addedWords(input: JsonObject): readonly string[] {
  const edits = [input, ...objectsIn(input['edits'])];
  const texts = (keys: readonly string[]): string =>
    edits.flatMap((edit) => keys.flatMap((key) => textOf(edit[key]) ?? [])).join('\n');
  const old = wordsIn(texts(['old_string']));
  const added = wordsIn(texts(['content', 'new_string', 'new_source']));
  return [...added].filter((word) => !old.has(word)).slice(0, MOST_WORDS);
}

export function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.slice(0, LONGEST).match(WORD) ?? []);
}

interface Step {
  readonly added: readonly string[];
  /** Text that the agent saw when the call ended. */
  readonly seen: string;
}

/** Returns for each call in order the words that it added, without those that an earlier result showed to the agent. */
export function writtenWords(steps: readonly Step[]): readonly (readonly string[])[] {
  if (steps.every(({ added }) => added.length === 0)) return steps.map(() => []);
  const known = new Set<string>();
  return steps.map(({ added, seen }) => {
    const wrote = added.filter((word) => !known.has(word));
    for (const word of wordsIn(seen)) known.add(word);
    return wrote;
  });
}
