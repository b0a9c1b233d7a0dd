/** What was done already and must not be done again: turns distilled, memories forgotten. Called by MemoryIndex only. */
import { number, oneOf, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

export type TombstoneState = 'hidden' | 'erased' | 'lifted';

export function markDistilled(db: Database, turn: string, by: string): void {
  db.run('INSERT OR REPLACE INTO distilled VALUES (?, ?)', turn, by);
}

export function distilledBy(db: Database, turn: string): string | undefined {
  const row = db.get('SELECT made_by FROM distilled WHERE turn = ?', turn);
  return row && text(row, 'made_by');
}

/** What is left of a forgotten memory: nothing that could be read. */
export interface Tombstone {
  readonly memory: string;
  readonly at: string;
  readonly turn: string;
  /** Of what it said, so that it is known under another id too. */
  readonly hash: string;
  readonly state: TombstoneState;
}

export function putTombstone(db: Database, { memory, at, turn, hash, state }: Tombstone): void {
  db.run('INSERT OR REPLACE INTO tombstone VALUES (?, ?, ?, ?, ?)', memory, at, turn, hash, state);
}

export function tombstones(db: Database, state: TombstoneState): readonly Tombstone[] {
  return db.all('SELECT * FROM tombstone WHERE state = ? ORDER BY at, memory', state).map(tombstoneIn);
}

function tombstoneIn(row: Row): Tombstone {
  return {
    memory: text(row, 'memory'),
    at: text(row, 'at'),
    turn: text(row, 'turn'),
    hash: text(row, 'hash'),
    state: oneOf(row, 'state', ['hidden', 'erased', 'lifted']),
  };
}

/** The last word on a memory that was once forgotten. */
export function tombstone(db: Database, memory: string): Tombstone | undefined {
  const row = db.get('SELECT * FROM tombstone WHERE memory = ?', memory);
  return row && tombstoneIn(row);
}

/** A turn whose text was forgotten with a memory of it. */
export function isForgottenTurn(db: Database, turn: string): boolean {
  return (
    turn !== '' && db.get(`SELECT 1 FROM tombstone WHERE turn = ? AND state != 'lifted'`, turn) !== undefined
  );
}

/** Something with this content was forgotten at or after that time: said later, it is said anew. */
export function isForgottenContent(db: Database, hash: string, at: string): boolean {
  const sql = `SELECT 1 FROM tombstone WHERE hash = ? AND at >= ? AND state != 'lifted'`;
  return db.get(sql, hash, at) !== undefined;
}

export function isForgotten(db: Database, memory: string): boolean {
  const state = tombstone(db, memory)?.state;
  return state !== undefined && state !== 'lifted';
}

export function addRedactions(db: Database, counts: Readonly<Record<string, number>>): void {
  for (const [type, n] of Object.entries(counts)) {
    db.run(
      'INSERT INTO redaction VALUES (?, ?) ON CONFLICT (type) DO UPDATE SET count = count + excluded.count',
      type,
      n,
    );
  }
}

export function redactions(db: Database): Readonly<Record<string, number>> {
  const rows = db.all('SELECT type, count FROM redaction ORDER BY count DESC');
  return Object.fromEntries(rows.map((row) => [text(row, 'type'), number(row, 'count')]));
}
