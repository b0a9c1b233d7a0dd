/** The text of a memory that is searched, compared and embedded, the same for every store. Pure. */
import { contentHash, type Memory } from '../../core/index.ts';

export const MEMORY_COLUMNS = ['title', 'body', 'facts', 'concepts', 'files', 'reason', 'date'] as const;

/** Returns the searched text in the order of MEMORY_COLUMNS. */
export function searchable(memory: Memory): readonly string[] {
  const { title, body, facts, concepts, files, reason = '', at } = memory;
  return [title, body, facts.join('\n'), concepts.join('\n'), files.join('\n'), reason, dateWords(at)];
}

/** Hashes the searched text, to notice a change. */
export function searchableHash(memory: Memory, columns = searchable(memory)): string {
  return contentHash(columns.join('\n'));
}

/** Returns the text for the vector: everything the memory says, then its search phrases. */
export function embeddedText({ title, body, facts, concepts, reason = '' }: Memory): string {
  return [title, body, reason, ...facts, concepts.join(', ')].filter((part) => part !== '').join('\n');
}

/** Faster than `toLocaleString`, which takes longer than indexing the rest of an entry. */
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Returns the forms of a date that queries use: `2026-02-09 2026-02 2026 February`. */
export function dateWords(at: string): string {
  const month = MONTHS[new Date(at).getUTCMonth()] ?? '';
  return `${at.slice(0, 10)} ${at.slice(0, 7)} ${at.slice(0, 4)} ${month}`;
}
