/** Reads entries of shared projects with their authors. */
import type { WireEntry } from '../../exchange/sync/index.ts';
import { entryOfRow, READ_COLUMNS } from './entries.ts';
import { text } from './values.ts';
import type { Row } from './work.ts';

export interface SharedMemory {
  readonly project: string;
  readonly entry: WireEntry;
  readonly author: { readonly id: string; readonly name: string };
}

/** A SELECT without its WHERE; `m` is the memory. */
export const SELECT_SHARED = `SELECT ${READ_COLUMNS.split(',')
  .map((name) => `m.${name.trim()}`)
  .join(', ')}, coalesce(w.name, '') AS author_name
  FROM tidemark.memory m LEFT JOIN tidemark.member w ON w.team_id = m.team_id AND w.id = m.author_id`;

export function sharedOf(row: Row): SharedMemory {
  return {
    project: text(row, 'project_id'),
    entry: entryOfRow(row),
    author: { id: text(row, 'author_id'), name: text(row, 'author_name') },
  };
}
