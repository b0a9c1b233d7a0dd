/**
 * Finds the words of a file that the agent's notes quote. Files are not stored, but these words are in the note anyway, and
 * without them a note that repeats a README could not be recognised as quoted. Pure.
 */
import { splitNotes } from '../../core/index.ts';

/** Shorter quotes are in many files. */
const MIN_QUOTE = 8;
const IN_MARKS = /["“„«「『]([^"“”„«»「」『』\n]+)["“”«»」』]/gu;
/** The client numbers the lines of a file. */
const LINE_NUMBER = /^\s*\d+[→\t]/gm;

/** Returns the quotes at the end of the answer's notes. */
export function quotesIn(answer: string): readonly string[] {
  return splitNotes(answer).notes.flatMap(({ text }) =>
    [...text.matchAll(IN_MARKS)].map(([, words = '']) => words),
  );
}

/** Returns the quotes that are in the file, one per line; undefined if there are none. */
export function quotedFrom(file: string, quotes: readonly string[]): string | undefined {
  if (quotes.length === 0) return undefined;
  const plain = plainly(file.replace(LINE_NUMBER, ''));
  const found = quotes.filter((quote) => quote.length >= MIN_QUOTE && plain.includes(plainly(quote)));
  return found.length > 0 ? [...new Set(found)].join('\n') : undefined;
}

function plainly(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’`]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}
