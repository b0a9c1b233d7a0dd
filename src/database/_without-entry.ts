/** Memories without an entry in the journal: merged into another memory, or waiting for review. */
import { mayBeShort, type Memory } from '../core/index.ts';
import { putTitle, removeTitle } from './_similar-titles.ts';
import { count, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

/** A memory that repeats an earlier one. The journal has only its count and its turn. */
export interface MergedMemory {
  readonly memory: Memory;
  /** Id of the entry that represents it. */
  readonly into: string;
  /** `person`: the user merged them, whatever the words say. */
  readonly by: 'words' | 'person';
}

export function putMerged(db: Database, { memory, into, by }: MergedMemory): void {
  const { id, project, provenance } = memory;
  const content = JSON.stringify(memory);
  db.transaction(() => {
    db.put('merged', { memory: id, into_memory: into, made_by: by, project, turn: provenance.turn, content });
    if (!isEntry(db, id)) putTitle(db, memory);
  });
}

export function removeMerged(db: Database, ids: readonly string[]): void {
  db.transaction(() => {
    for (const id of ids)
      if (db.run('DELETE FROM merged WHERE memory = ?', id) > 0 && !isEntry(db, id)) removeTitle(db, id);
  });
}

/** By its id, or by a complete short id that no other has. */
export function merged(db: Database, id: string): MergedMemory | undefined {
  const row = db.get('SELECT * FROM merged WHERE memory = ?', id);
  if (row || !mayBeShort(id)) return row && mergedOf(row);
  const [only, ...others] = db.all('SELECT * FROM merged WHERE substr(memory, 8) = ? LIMIT 2', id);
  return only && others.length === 0 ? mergedOf(only) : undefined;
}

export function mergedInto(db: Database, into: string): readonly MergedMemory[] {
  return db.all('SELECT * FROM merged WHERE into_memory = ? ORDER BY memory', into).map(mergedOf);
}

export function mergedOfTurn(db: Database, turn: string): readonly MergedMemory[] {
  return db.all('SELECT * FROM merged WHERE turn = ? ORDER BY memory', turn).map(mergedOf);
}

/** Counts the memories of a session that are merged into other entries. */
export function mergedInSession(db: Database, session: string): number {
  return count(
    db.get(
      'SELECT count(*) AS n FROM merged JOIN turn ON turn.id = merged.turn WHERE turn.session = ?',
      session,
    ),
  );
}

export function putWaiting(db: Database, memory: Memory): void {
  const { id, project, at } = memory;
  db.put('waiting', { memory: id, project, at, content: JSON.stringify(memory) });
}

export function removeWaiting(db: Database, ids: readonly string[]): void {
  db.transaction(() => {
    for (const id of ids) db.run('DELETE FROM waiting WHERE memory = ?', id);
  });
}

/** Returns the memories that wait for review, oldest first. */
export function waiting(db: Database, project?: string): readonly Memory[] {
  const rows = db.all(
    'SELECT content FROM waiting WHERE ?1 IS NULL OR project = ?1 ORDER BY at, memory',
    project ?? null,
  );
  return rows.map((row) => parsed(row, 'content') as Memory); // written by putWaiting
}

function isEntry(db: Database, id: string): boolean {
  return db.get('SELECT 1 FROM memory WHERE id = ?', id) !== undefined;
}

function mergedOf(row: Row): MergedMemory {
  return {
    memory: parsed(row, 'content') as Memory, // written by putMerged
    into: text(row, 'into_memory'),
    by: text(row, 'made_by') === 'person' ? 'person' : 'words',
  };
}
