/** Turns in the index: the second tier of search, after memories. */
import type { SQLInputValue } from 'node:sqlite';
import { given, type Agent, type Commit, type TurnOrigin, type TurnOutcome } from '../core/index.ts';
import { matching, type Match } from './_matching.ts';
import type { Tables } from './_tables.ts';
import { count, list, number, oneOf, optionalText, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';
import type { TextScope } from './text/full-text.ts';
import { indexText, tokensOf, words } from './text/tokens.ts';
import { allOf, type Frequencies } from './text/narrow-query.ts';
import type { QueryVector } from './vectors/vectors.ts';
import type { TurnLocation } from '../storage/turns/index.ts';

/** A turn in the index: redacted, shortened text, and the place of the full turn in the turn store. */
export interface IndexedTurn {
  readonly id: string;
  readonly session: string;
  readonly project: string;
  readonly at: string;
  readonly endedAt: string;
  readonly origin: TurnOrigin;
  readonly outcome: TurnOutcome;
  readonly prompt: string;
  readonly answer: string;
  /** The number of tool calls. */
  readonly tools: number;
  readonly location?: TurnLocation;
  /** The files that it changed and its commits. Searched with the answer. */
  readonly edited?: readonly string[];
  readonly commits?: readonly Commit[];
  /** Hash of the full turn: tells a changed turn from the same turn read again. */
  readonly hash: string;
}

export interface TurnFilter {
  readonly project?: string | readonly string[];
  /** The agents of their sessions. */
  readonly agent?: readonly Agent[];
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface TurnHit extends Match {
  readonly turn: IndexedTurn;
}

/** Weights of prompt and answer. */
export type TurnWeights = readonly [number, number];

const ORIGINS: readonly TurnOrigin[] = ['person', 'task', 'subagent'];
const OUTCOMES: readonly TurnOutcome[] = ['answered', 'interrupted', 'denied', 'failed', 'open'];

const COLUMNS: Readonly<Record<string, (turn: IndexedTurn) => SQLInputValue>> = {
  id: (turn) => turn.id,
  session: (turn) => turn.session,
  project: (turn) => turn.project,
  at: (turn) => turn.at,
  ended_at: (turn) => turn.endedAt,
  origin: (turn) => turn.origin,
  outcome: (turn) => turn.outcome,
  prompt: (turn) => turn.prompt,
  answer: (turn) => turn.answer,
  tools: (turn) => turn.tools,
  files: (turn) => JSON.stringify(turn.edited ?? []),
  commits: (turn) => JSON.stringify(turn.commits ?? []),
  store_file: (turn) => turn.location?.file ?? null,
  store_offset: (turn) => turn.location?.offset ?? null,
  store_length: (turn) => turn.location?.length ?? null,
  hash: (turn) => turn.hash,
};
const NAMES = Object.keys(COLUMNS);
const INSERT_TURN = `INSERT INTO turn (${NAMES.join(', ')}) VALUES (${NAMES.map(() => '?').join(', ')})`;
const UPDATE_TURN = `UPDATE turn SET ${NAMES.map((name) => `${name} = ?`).join(', ')} WHERE row = ?`;

export interface StoredTurnRow {
  readonly id: string;
  readonly at: string;
  readonly location: TurnLocation;
}

export function upsertTurns(tables: Tables, turns: readonly IndexedTurn[]): void {
  tables.transaction(() => {
    for (const turn of turns) putOne(tables, turn);
  });
}

export function removeTurns(tables: Tables, ids: readonly string[]): number {
  return tables.transaction(() => {
    let removed = 0;
    for (const id of ids) {
      const found = tables.get('SELECT row FROM turn WHERE id = ?', id);
      if (!found) continue;
      const row = number(found, 'row');
      tables.turnText.remove(row);
      tables.turnVectors.removed(row);
      removed += tables.run('DELETE FROM turn WHERE row = ?', row);
    }
    return removed;
  });
}

export function turn(db: Database, id: string): IndexedTurn | undefined {
  const row = db.get('SELECT * FROM turn WHERE id = ?', id);
  return row && turnOf(row);
}

export function hasTurn(db: Database, id: string): boolean {
  return db.get('SELECT 1 FROM turn WHERE id = ?', id) !== undefined;
}

/** Returns the turns of a session, oldest first. */
export function turnsIn(db: Database, session: string): readonly IndexedTurn[] {
  return db.all('SELECT * FROM turn WHERE session = ? ORDER BY at, id', session).map(turnOf);
}

/** Returns the first prompt of the user in a session. */
export function firstPrompt(db: Database, session: string): string | undefined {
  const first = `SELECT prompt FROM turn WHERE session = ? AND origin = 'person' AND prompt != '' ORDER BY at, id LIMIT 1`;
  const row = db.get(first, session);
  return row && text(row, 'prompt');
}

/** Counts the turns that began at or after that time. */
export function turnsSince(db: Database, at: string): number {
  return count(db.get('SELECT count(*) AS n FROM turn WHERE at >= ?', at));
}

/** Returns every turn that the turn store should have, newest first. */
export function storedTurns(db: Database): readonly StoredTurnRow[] {
  return db
    .all(
      'SELECT id, at, store_file, store_offset, store_length FROM turn WHERE store_file IS NOT NULL ORDER BY at DESC, id',
    )
    .map((row) => ({
      id: text(row, 'id'),
      at: text(row, 'at'),
      location: {
        file: text(row, 'store_file'),
        offset: number(row, 'store_offset'),
        length: number(row, 'store_length'),
      },
    }));
}

/** Returns the ids of the turns that are stored in this file of the turn store. */
export function turnsStoredIn(db: Database, file: string): readonly string[] {
  return db.all('SELECT id FROM turn WHERE store_file = ?', file).map((row) => text(row, 'id'));
}

export function searchTurns(
  tables: Tables,
  tokens: readonly string[],
  filter: TurnFilter,
  limit: number,
  weights: TurnWeights = [1, 1],
  vector?: QueryVector,
): readonly TurnHit[] {
  const within = { table: 'turn', text: tables.turnText, vectors: tables.turnVectors } as const;
  const scope = scopeOf(filter);
  const found = matching(tables, within, { tokens, scope, limit, weights, ...given({ vector }) });
  return found.map(({ row, ...facts }) => ({ turn: turnOf(row), ...facts }));
}

/** Returns the turns whose answer, files or commits name a text with all its words, newest first. */
export function turnsNaming(
  db: Database,
  named: string,
  { project, since, until }: { readonly project: string; readonly since: string; readonly until: string },
  limit: number,
): readonly IndexedTurn[] {
  const tokens = words(named).flatMap((word) => tokensOf(word).slice(0, 1));
  if (tokens.length === 0) return [];
  const rows = db.all(
    `SELECT turn.* FROM turn_fts JOIN turn ON turn.row = turn_fts.rowid
     WHERE turn_fts MATCH ? AND turn.project = ? AND turn.at >= ? AND turn.at <= ?
     ORDER BY turn.at DESC, turn.id LIMIT ?`,
    `answer : (${allOf(tokens.map((token) => ({ token })))})`,
    project,
    since,
    until,
    limit,
  );
  return rows.map(turnOf);
}

export function turnFrequencies(tables: Tables, tokens: Iterable<string>): Frequencies {
  return tables.turnText.frequencies(tokens);
}

const OF_AGENTS = 'turn.session IN (SELECT id FROM session WHERE agent IN (SELECT value FROM json_each(?)))';

function scopeOf({ project, agent, session, since, until }: TurnFilter): TextScope {
  const clauses = given({
    'turn.session = ?': session,
    'turn.at >= ?': since,
    'turn.at < ?': until,
    [OF_AGENTS]: agent && JSON.stringify(agent),
  });
  const projects = typeof project === 'string' ? [project] : project;
  return {
    where: Object.keys(clauses).join(' AND '),
    values: Object.values(clauses),
    ...given({ projects }),
  };
}

function putOne(tables: Tables, turn: IndexedTurn): void {
  const before = tables.get('SELECT row, prompt, answer, project, hash FROM turn WHERE id = ?', turn.id);
  const values = Object.values(COLUMNS).map((value) => value(turn));
  const row = before ? number(before, 'row') : tables.insert(INSERT_TURN, ...values);
  if (before) tables.run(UPDATE_TURN, ...values, row);
  const same =
    before && (['prompt', 'answer', 'project'] as const).every((name) => before[name] === turn[name]);
  if (!same) tables.turnVectors.outdated(row);
  if (same && before['hash'] === turn.hash) return;
  const { edited = [], commits = [] } = turn;
  const work = [...edited, ...commits.flatMap(({ hash = '', subject }) => [hash, subject])];
  const answer = [turn.answer, ...work].filter(Boolean).join('\n');
  tables.turnText.put(row, turn.project, [indexText(turn.prompt), indexText(answer)]);
}

function turnOf(row: Row): IndexedTurn {
  const file = optionalText(row, 'store_file');
  const location =
    file === undefined
      ? undefined
      : { file, offset: number(row, 'store_offset'), length: number(row, 'store_length') };
  return {
    id: text(row, 'id'),
    session: text(row, 'session'),
    project: text(row, 'project'),
    at: text(row, 'at'),
    endedAt: text(row, 'ended_at'),
    hash: text(row, 'hash'),
    origin: oneOf(row, 'origin', ORIGINS),
    outcome: oneOf(row, 'outcome', OUTCOMES),
    prompt: text(row, 'prompt'),
    answer: text(row, 'answer'),
    tools: number(row, 'tools'),
    ...given({
      edited: unlessEmpty(list(row, 'files')),
      // Only `putOne` writes this column.
      commits: unlessEmpty(parsed(row, 'commits') as readonly Commit[]),
      location,
    }),
  };
}

function unlessEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length > 0 ? items : undefined;
}
