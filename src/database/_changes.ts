/** Changes of memories: those that the user made, with the old text, and those that later memories or turns made. */
import { given, type Memory } from '../core/index.ts';
import { memoryOf } from './_memory-row.ts';
import { oneOf, optionalText, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

const WAYS = ['edited', 'resolved', 'reopened', 'superseded'] as const;

/** One change that the user made, in the hub, on the command line or in a file of the journal. */
export interface UserChange {
  readonly memory: string;
  readonly at: string;
  readonly how: (typeof WAYS)[number];
  /** The memory that replaced it. */
  readonly by?: string;
  /** The text before an edit. */
  readonly before?: Pick<Memory, 'title' | 'body' | 'reason'>;
}

export function putChange(db: Database, { memory, at, how, by, before }: UserChange): void {
  db.put('change', { memory, at, how, by_memory: by, before: before && JSON.stringify(before) });
}

export function removeChanges(db: Database, memories: readonly string[]): void {
  for (const id of memories) db.run('DELETE FROM change WHERE memory = ?', id);
}

/** Returns the newest changes of the user first. */
export function userChanges(db: Database, limit: number): readonly UserChange[] {
  return db.all('SELECT * FROM change ORDER BY at DESC, memory LIMIT ?', limit).map(changeOf);
}

/** Returns the memories that a later memory or turn superseded or resolved, the latest end first. */
export function endedMemories(
  db: Database,
  limit: number,
): readonly { readonly memory: Memory; readonly at: string }[] {
  return db
    .all('SELECT * FROM memory WHERE over_at IS NOT NULL ORDER BY over_at DESC, id LIMIT ?', limit)
    .map((row) => ({ memory: memoryOf(row), at: text(row, 'over_at') }));
}

function changeOf(row: Row): UserChange {
  return {
    memory: text(row, 'memory'),
    at: text(row, 'at'),
    how: oneOf(row, 'how', WAYS),
    ...given({
      by: optionalText(row, 'by_memory'),
      // Only `putChange` writes the column.
      before: row['before'] === null ? undefined : (parsed(row, 'before') as UserChange['before']),
    }),
  };
}
