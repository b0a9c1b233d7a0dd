/** Says why a query cannot find anything: it has no words, or only words that every entry contains. Pure. */
import { queryWords } from '../database/index.ts';

/** Undefined if there is a word to search for, or no text at all. `text`: the query without its filters. */
export function unsearchable(text: string): string | undefined {
  if (text === '' || queryWords(text).length > 0) return undefined;
  return /[\p{L}\p{N}]/u.test(text)
    ? `Every word of “${text}” is too common. Add a more specific one.`
    : `“${text}” contains no word to search for. Write a few words, or a filter such as kind:decision.`;
}
