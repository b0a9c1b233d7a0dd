/** Tombstones: forgotten memories, without their text, so that they do not come back. */
import { given } from '../core/index.ts';
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
  /** Absent in records of earlier versions: it counts for every project. */
  readonly project?: string;
}

export function setTombstone(db: Database, tombstone: Tombstone): void {
  const { memory, at, turn, hash, state, project = '' } = tombstone;
  db.put('tombstone', { memory, at, turn, hash, state, project });
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

/**
 * Tells whether this text was forgotten at or after that time, in the project if one is given. The same text of a later
 * turn or of another project is a new memory.
 */
export function isForgottenContent(db: Database, hash: string, at: string, project?: string): boolean {
  const sql = `SELECT 1 FROM tombstone WHERE hash = ? AND at >= ? AND state != 'lifted'`;
  const row =
    project === undefined
      ? db.get(sql, hash, at)
      : db.get(`${sql} AND project IN ('', ?)`, hash, at, project);
  return row !== undefined;
}

function fromRow(row: Row): Tombstone {
  return {
    memory: text(row, 'memory'),
    at: text(row, 'at'),
    turn: text(row, 'turn'),
    hash: text(row, 'hash'),
    state: oneOf(row, 'state', STATES),
    ...given({ project: text(row, 'project') || undefined }),
  };
}
