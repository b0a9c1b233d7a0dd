/** The state of the exchange with a team server: shared projects, exchanged entries, conflicts. */
import { given } from '../core/index.ts';
import { number, oneOf, optionalText, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

const SHARE_STATES = ['shared', 'leaving', 'left'] as const;
const EXCHANGE_STATES = ['put', 'withdrawn', 'forgotten'] as const;
const SHARING_STATES = ['waiting', 'held', 'released'] as const;
const ACTIONS = ['put', 'tombstone', 'withdraw'] as const;

/** The ledger may contain a clock beyond JavaScript's safe integers. It is cut here, and the next exchange replaces it. */
const CLOCK = `min(clock, ${Number.MAX_SAFE_INTEGER}) AS clock`;
const EXCHANGED = `remote, memory, state, ${CLOCK}, machine, hash, home, author`;
const OUTGOING = `remote, memory, action, ${CLOCK}, machine, hash`;

/** A project that a team shares: `remote` is its id on the server. `leaving`: the server does not know yet. */
export interface Share {
  readonly project: string;
  readonly remote: string;
  readonly name: string;
  readonly server: string;
  readonly state: (typeof SHARE_STATES)[number];
  readonly at: string;
}

/** The last state of an entry that both sides agreed on. The hash is of the entry as it leaves this machine. */
export interface Exchanged {
  readonly remote: string;
  readonly memory: string;
  readonly state: (typeof EXCHANGE_STATES)[number];
  readonly clock: number;
  readonly machine: string;
  readonly hash: string;
  /** The machine whose journal file contains it. */
  readonly home?: string;
  readonly author?: string;
}

/** A change the server does not have yet, with the version it got when it was noticed. */
export interface Outgoing {
  readonly remote: string;
  readonly memory: string;
  readonly action: (typeof ACTIONS)[number];
  readonly clock: number;
  readonly machine: string;
  readonly hash: string;
}

/** Since when a new entry waits before it is sent, or what the user decided about it. */
export interface Sharing {
  readonly memory: string;
  readonly state: (typeof SHARING_STATES)[number];
  readonly at: string;
}

/** A change of the team that could not be read: its number on the server, and why. */
export interface Skipped {
  readonly seq: number;
  readonly id?: string;
  readonly reason: string;
}

/** A text that another one replaced, stored in full until the user has seen it. */
export interface Conflict {
  readonly remote: string;
  readonly memory: string;
  readonly at: string;
  /** The side whose text was replaced. */
  readonly lost: 'ours' | 'theirs';
  /** The machine that wrote the other text. */
  readonly machine: string;
  readonly text: unknown;
}

export function putShare(db: Database, { project, remote, name, server, state, at }: Share): void {
  db.transaction(() => {
    db.put('share', { project, remote, name, server, state, at });
    // A project that is shared again later starts from nothing.
    if (state !== 'left') return;
    db.run('DELETE FROM exchanged WHERE remote = ?', remote);
    db.run('DELETE FROM outgoing WHERE remote = ?', remote);
    db.run('DELETE FROM meta WHERE key IN (?, ?)', cursorKey(remote), skippedKey(remote));
  });
}

/** Returns the projects that are shared, or about to leave. */
export function shares(db: Database): readonly Share[] {
  return db.all(`SELECT * FROM share WHERE state != 'left' ORDER BY project`).map((row) => ({
    project: text(row, 'project'),
    remote: text(row, 'remote'),
    name: text(row, 'name'),
    server: text(row, 'server'),
    state: oneOf(row, 'state', SHARE_STATES),
    at: text(row, 'at'),
  }));
}

/** Stores the agreed state. Removes the outgoing change, unless it is newer. */
export function putExchanged(db: Database, one: Exchanged): void {
  const { remote, memory, state, clock, machine, hash, home, author } = one;
  db.transaction(() => {
    db.put('exchanged', { remote, memory, state, clock, machine, hash, home, author });
    db.run(
      'DELETE FROM outgoing WHERE remote = ? AND memory = ? AND (clock, machine) <= (?, ?)',
      remote,
      memory,
      clock,
      machine,
    );
  });
}

export function exchanged(db: Database, remote: string): readonly Exchanged[] {
  return db
    .all(`SELECT ${EXCHANGED} FROM exchanged WHERE remote = ? ORDER BY memory`, remote)
    .map(exchangedOf);
}

export function exchangedOne(db: Database, remote: string, memory: string): Exchanged | undefined {
  const row = db.get(`SELECT ${EXCHANGED} FROM exchanged WHERE remote = ? AND memory = ?`, remote, memory);
  return row && exchangedOf(row);
}

export function putOutgoing(db: Database, one: Outgoing): void {
  const { remote, memory, action, clock, machine, hash } = one;
  db.put('outgoing', { remote, memory, action, clock, machine, hash });
}

export function outgoing(db: Database, remote: string): readonly Outgoing[] {
  return db.all(`SELECT ${OUTGOING} FROM outgoing WHERE remote = ? ORDER BY memory`, remote).map(outgoingOf);
}

export function outgoingOne(db: Database, remote: string, memory: string): Outgoing | undefined {
  const row = db.get(`SELECT ${OUTGOING} FROM outgoing WHERE remote = ? AND memory = ?`, remote, memory);
  return row && outgoingOf(row);
}

export function putSharing(db: Database, { memory, state, at }: Sharing): void {
  db.put('sharing', { memory, state, at });
}

export function sharing(db: Database): readonly Sharing[] {
  return db.all('SELECT memory, state, at FROM sharing').map((row) => ({
    memory: text(row, 'memory'),
    state: oneOf(row, 'state', SHARING_STATES),
    at: text(row, 'at'),
  }));
}

export function putConflict(db: Database, conflict: Conflict): void {
  const { remote, memory, at } = conflict;
  db.put('conflict', { memory, at, remote, content: JSON.stringify(conflict) });
}

export function removeConflicts(db: Database, memories: readonly string[]): void {
  db.run('DELETE FROM conflict WHERE memory IN (SELECT value FROM json_each(?))', JSON.stringify(memories));
}

/** Returns conflicts, newest first. */
export function conflicts(db: Database): readonly Conflict[] {
  return db
    .all('SELECT content FROM conflict ORDER BY at DESC, memory')
    .map((row) => parsed(row, 'content') as Conflict); // written by putConflict
}

/** Returns the number of the last change that was taken in. It is lost with the index; then all changes are read again. */
export function teamCursor(db: Database, remote: string): number {
  const row = db.get('SELECT value FROM meta WHERE key = ?', cursorKey(remote));
  return row ? Number(text(row, 'value')) : 0;
}

export function setTeamCursor(db: Database, remote: string, value: number): void {
  db.put('meta', { key: cursorKey(remote), value: String(value) });
}

/** Returns changes that could not be read and are requested again. Lost together with the cursor. */
export function teamSkipped(db: Database, remote: string): readonly Skipped[] {
  const row = db.get('SELECT value FROM meta WHERE key = ?', skippedKey(remote));
  return row ? (parsed(row, 'value') as Skipped[]) : []; // written by setTeamSkipped
}

export function setTeamSkipped(db: Database, remote: string, skipped: readonly Skipped[]): void {
  if (skipped.length === 0) db.run('DELETE FROM meta WHERE key = ?', skippedKey(remote));
  else db.put('meta', { key: skippedKey(remote), value: JSON.stringify(skipped) });
}

function skippedKey(remote: string): string {
  return `team-skipped:${remote}`;
}

function cursorKey(remote: string): string {
  return `team-cursor:${remote}`;
}

function exchangedOf(row: Row): Exchanged {
  return {
    remote: text(row, 'remote'),
    memory: text(row, 'memory'),
    state: oneOf(row, 'state', EXCHANGE_STATES),
    clock: number(row, 'clock'),
    machine: text(row, 'machine'),
    hash: text(row, 'hash'),
    ...given({ home: optionalText(row, 'home'), author: optionalText(row, 'author') }),
  };
}

function outgoingOf(row: Row): Outgoing {
  return {
    remote: text(row, 'remote'),
    memory: text(row, 'memory'),
    action: oneOf(row, 'action', ACTIONS),
    clock: number(row, 'clock'),
    machine: text(row, 'machine'),
    hash: text(row, 'hash'),
  };
}
