/** What a team server and this machine know of each other's entries. Called by MemoryIndex only. */
import { defined, number, oneOf, optionalText, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

const SHARE_STATES = ['shared', 'leaving', 'left'] as const;
const EXCHANGE_STATES = ['put', 'withdrawn', 'forgotten'] as const;
const ACTIONS = ['put', 'tombstone', 'withdraw'] as const;

/** An earlier version counted one further than JavaScript reads: such a clock is cut, and the exchange replaces it. */
const CLOCK = `min(clock, ${Number.MAX_SAFE_INTEGER}) AS clock`;
const EXCHANGED = `remote, memory, state, ${CLOCK}, machine, hash, home, author`;
const OUTGOING = `remote, memory, action, ${CLOCK}, machine, hash`;

/** A project that a team shares: `remote` is its id there. `leaving`: the server is still to be told. */
export interface Share {
  readonly project: string;
  readonly remote: string;
  readonly name: string;
  readonly server: string;
  readonly state: (typeof SHARE_STATES)[number];
  readonly at: string;
}

/** What both sides agreed on last about an entry. A hash is that of the entry as it leaves this machine. */
export interface Exchanged {
  readonly remote: string;
  readonly memory: string;
  readonly state: (typeof EXCHANGE_STATES)[number];
  readonly clock: number;
  readonly machine: string;
  readonly hash: string;
  /** The machine whose file of the journal it belongs to. */
  readonly home?: string;
  readonly author?: string;
}

/** What the server is still to get, under the version it was given when it was noticed. */
export interface Outgoing {
  readonly remote: string;
  readonly memory: string;
  readonly action: (typeof ACTIONS)[number];
  readonly clock: number;
  readonly machine: string;
  readonly hash: string;
}

/** A change of the team that could not be read: its number there, and why. */
export interface Skipped {
  readonly seq: number;
  readonly id?: string;
  readonly reason: string;
}

/** A text that gave way to another one, kept whole until a person has seen it. */
export interface Conflict {
  readonly remote: string;
  readonly memory: string;
  readonly at: string;
  /** Whose text gave way. */
  readonly lost: 'ours' | 'theirs';
  /** Where the other text was written. */
  readonly machine: string;
  readonly text: unknown;
}

export function putShare(db: Database, { project, remote, name, server, state, at }: Share): void {
  db.run('INSERT OR REPLACE INTO share VALUES (?, ?, ?, ?, ?, ?)', project, remote, name, server, state, at);
  // Whoever comes back begins anew: nothing is known of what happened there meanwhile.
  if (state !== 'left') return;
  db.run('DELETE FROM exchanged WHERE remote = ?', remote);
  db.run('DELETE FROM outgoing WHERE remote = ?', remote);
  db.run('DELETE FROM meta WHERE key IN (?, ?)', cursorKey(remote), skippedKey(remote));
}

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

export function putExchanged(db: Database, one: Exchanged): void {
  db.run(
    'INSERT OR REPLACE INTO exchanged VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    one.remote,
    one.memory,
    one.state,
    one.clock,
    one.machine,
    one.hash,
    one.home ?? null,
    one.author ?? null,
  );
  db.run(
    'DELETE FROM outgoing WHERE remote = ? AND memory = ? AND (clock, machine) <= (?, ?)',
    one.remote,
    one.memory,
    one.clock,
    one.machine,
  );
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
  db.run(
    'INSERT OR REPLACE INTO outgoing VALUES (?, ?, ?, ?, ?, ?)',
    one.remote,
    one.memory,
    one.action,
    one.clock,
    one.machine,
    one.hash,
  );
}

export function outgoing(db: Database, remote: string): readonly Outgoing[] {
  return db.all(`SELECT ${OUTGOING} FROM outgoing WHERE remote = ? ORDER BY memory`, remote).map(outgoingOf);
}

export function outgoingOne(db: Database, remote: string, memory: string): Outgoing | undefined {
  const row = db.get(`SELECT ${OUTGOING} FROM outgoing WHERE remote = ? AND memory = ?`, remote, memory);
  return row && outgoingOf(row);
}

export function putConflict(db: Database, conflict: Conflict): void {
  const { remote, memory, at } = conflict;
  db.run('INSERT OR REPLACE INTO conflict VALUES (?, ?, ?, ?)', memory, at, remote, JSON.stringify(conflict));
}

export function removeConflicts(db: Database, memories: readonly string[]): void {
  for (const id of memories) db.run('DELETE FROM conflict WHERE memory = ?', id);
}

/** Newest first. */
export function conflicts(db: Database): readonly Conflict[] {
  return db
    .all('SELECT content FROM conflict ORDER BY at DESC, memory')
    .map((row) => parsed(row, 'content') as Conflict); // written above
}

/** Up to where a project's changes were taken in; lost with the index, and then everything is looked at again. */
export function cursor(db: Database, remote: string): number {
  const row = db.get('SELECT value FROM meta WHERE key = ?', cursorKey(remote));
  return row ? Number(text(row, 'value')) : 0;
}

export function setCursor(db: Database, remote: string, value: number): void {
  db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', cursorKey(remote), String(value));
}

/** Changes that could not be read, to be asked for again; lost together with the cursor. */
export function skipped(db: Database, remote: string): readonly Skipped[] {
  const row = db.get('SELECT value FROM meta WHERE key = ?', skippedKey(remote));
  return row ? (parsed(row, 'value') as Skipped[]) : []; // written below
}

export function setSkipped(db: Database, remote: string, some: readonly Skipped[]): void {
  if (some.length === 0) db.run('DELETE FROM meta WHERE key = ?', skippedKey(remote));
  else db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', skippedKey(remote), JSON.stringify(some));
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
    ...defined({ home: optionalText(row, 'home'), author: optionalText(row, 'author') }),
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
