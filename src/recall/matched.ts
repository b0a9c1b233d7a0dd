/** Finds the words of a text that match a query, for highlighting. Pure. */
import type { Memory } from '../core/index.ts';
import { queryWords, tokensOf, words } from '../database/index.ts';

/** Highlighting more words is of no use. */
const MOST_WORDS = 40;
/** Characters searched: a list shows no more, and a text may have megabytes. */
const SEARCHED_CHARS = 20_000;

/** `matchedWords('rotating tokens', 'Token rotation')` → `['token', 'rotation']`, in lower case. */
export function matchedWords(query: string, text: string): readonly string[] {
  const asked = new Set(queryWords(query).flatMap(tokensOf));
  if (asked.size === 0) return [];
  const found = new Set<string>();
  for (const word of words(text.slice(0, SEARCHED_CHARS))) {
    const matching = tokensOf(word).filter((token) => asked.has(token));
    if (word.kind === 'cjk') for (const token of matching) found.add(token);
    else if (matching.length > 0) found.add(word.surface);
    if (found.size >= MOST_WORDS) break;
  }
  return [...found];
}

/** The same for all texts of a memory. */
export function foundIn(memory: Memory, query: string): readonly string[] {
  const { title, reason = '', facts, concepts, files, body } = memory;
  return matchedWords(query, [title, reason, ...facts, ...concepts, ...files, body].join('\n'));
}
