/** The part of a text that matches a query best. Pure. */
import { plainLine } from '../core/index.ts';
import { cutToTokens } from './context/render.ts';
import { matchedWords } from './matched.ts';

/** One or two sentences. */
const EXCERPT_TOKENS = 60;

/** The first of the sentences with the most words of the query, and what follows. */
export function bestExcerpt(text: string, query: string): string {
  const sentences = text.split(/(?<=[.!?。])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
  const matches = sentences.map((sentence) => matchedWords(query, sentence).length);
  const best = Math.max(0, matches.indexOf(Math.max(...matches)));
  const rest = plainLine(sentences.slice(best).join(' '));
  return cutToTokens(best === 0 ? rest : `… ${rest}`, EXCERPT_TOKENS);
}
