/** What of a memory is searched, compared and turned into a vector: the same for every store. Pure. */
import { contentHash, type Memory } from '../../core/index.ts';

export const MEMORY_COLUMNS = ['title', 'body', 'facts', 'concepts', 'files', 'reason', 'date'] as const;

/** What is searched, in the order of MEMORY_COLUMNS. */
export function searchable(memory: Memory): readonly string[] {
  const { title, body, facts, concepts, files, reason = '', at } = memory;
  return [title, body, facts.join('\n'), concepts.join('\n'), files.join('\n'), reason, dateWords(at)];
}

/** Tells whether two texts of a memory say the same. */
export function searchableHash(memory: Memory, columns = searchable(memory)): string {
  return contentHash(columns.join('\n'));
}

/** What a vector is made of: what the memory says, and the phrases by which somebody comes upon it who does not know it. */
export function embeddedText({ title, body, facts, concepts, reason = '' }: Memory): string {
  return [title, body, reason, ...facts, concepts.join(', ')].filter((part) => part !== '').join('\n');
}

/** Asking the system for a month's name takes longer than indexing the rest of an entry. */
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** `2026-02-09 2026-02 2026 February`: a date is asked for in many ways. */
export function dateWords(at: string): string {
  const month = MONTHS[new Date(at).getUTCMonth()] ?? '';
  return `${at.slice(0, 10)} ${at.slice(0, 7)} ${at.slice(0, 4)} ${month}`;
}
