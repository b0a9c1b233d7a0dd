/** Tombstones: forgotten memories, without their text, so that they do not come back. */
import { oneOf, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

const STATES = ['hidden', 'erased', 'lifted'] as const;

export interface Tombstone {
  readonly memory: string;
  readonly at: string;
  readonly turn: string;
  /** Hash of the text, to recognise it under another id. */
  readonly hash: string;
  readonly state: (typeof STATES)[number];
}

export function setTombstone(db: Database, { memory, at, turn, hash, state }: Tombstone): void {
  db.put('tombstone', { memory, at, turn, hash, state });
}

export function tombstones(db: Database, state: Tombstone['state']): readonly Tombstone[] {
  return db.all('SELECT * FROM tombstone WHERE state = ? ORDER BY at, memory', state).map(fromRow);
}

/** Returns the tombstone of a memory that was forgotten, also if it was restored since. */
export function tombstone(db: Database, memory: string): Tombstone | undefined {
  const row = db.get('SELECT * FROM tombstone WHERE memory = ?', memory);
  return row && fromRow(row);
}

export function isForgotten(db: Database, memory: string): boolean {
  const state = tombstone(db, memory)?.state;
  return state !== undefined && state !== 'lifted';
}

/** Tells whether the text of a turn was forgotten together with a memory of it. */
export function isForgottenTurn(db: Database, turn: string): boolean {
  return (
    turn !== '' && db.get(`SELECT 1 FROM tombstone WHERE turn = ? AND state != 'lifted'`, turn) !== undefined
  );
}

/** Tells whether this text was forgotten at or after that time. The same text of a later turn is a new memory. */
export function isForgottenContent(db: Database, hash: string, at: string): boolean {
  const sql = `SELECT 1 FROM tombstone WHERE hash = ? AND at >= ? AND state != 'lifted'`;
  return db.get(sql, hash, at) !== undefined;
}

function fromRow(row: Row): Tombstone {
  return {
    memory: text(row, 'memory'),
    at: text(row, 'at'),
    turn: text(row, 'turn'),
    hash: text(row, 'hash'),
    state: oneOf(row, 'state', STATES),
  };
}
