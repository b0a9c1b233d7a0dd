/** The words of a text that match a question, as they stand in it: what a reader wants to see marked. Pure. */
import type { Memory } from '../core/index.ts';
import { queryWords, tokensOf, words } from '../database/index.ts';

/** Where more match, marking them tells nothing. */
const MOST_WORDS = 40;
/** Words this far down are not shown in a list, and a text may hold megabytes. */
const LOOKED_AT = 20_000;

/** `matchedWords('rotating tokens', 'Token rotation')` → `['token', 'rotation']`, in lower case. */
export function matchedWords(question: string, text: string): readonly string[] {
  const wanted = new Set(queryWords(question).flatMap(tokensOf));
  if (wanted.size === 0) return [];
  const found = new Set<string>();
  for (const word of words(text.slice(0, LOOKED_AT))) {
    if (word.kind === 'cjk') for (const token of tokensOf(word)) if (wanted.has(token)) found.add(token);
    if (word.kind !== 'cjk' && tokensOf(word).some((token) => wanted.has(token))) found.add(word.surface);
    if (found.size >= MOST_WORDS) break;
  }
  return [...found];
}

/** The same for an entry, wherever in it the words stand. */
export function foundIn(memory: Memory, question: string): readonly string[] {
  const { title, reason = '', facts, concepts, files, body } = memory;
  return matchedWords(question, [title, reason, ...facts, ...concepts, ...files, body].join('\n'));
}
