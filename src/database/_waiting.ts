/** Memories that wait for a person's yes before they are remembered. Called by MemoryIndex only. */
import type { Memory } from '../core/index.ts';
import { parsed } from './columns.ts';
import type { Database } from './connection.ts';

export function putWaiting(db: Database, memory: Memory): void {
  db.run(
    'INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?)',
    memory.id,
    memory.project,
    memory.at,
    JSON.stringify(memory),
  );
}

export function removeWaiting(db: Database, ids: readonly string[]): void {
  for (const id of ids) db.run('DELETE FROM waiting WHERE memory = ?', id);
}

/** Oldest first. */
export function waiting(db: Database, project: string | undefined): readonly Memory[] {
  const rows =
    project === undefined
      ? db.all('SELECT content FROM waiting ORDER BY at, memory')
      : db.all('SELECT content FROM waiting WHERE project = ? ORDER BY at, memory', project);
  return rows.map((row) => parsed(row, 'content') as Memory); // written above
}
