/** Distilled turns, the memories made of them, turns a model did not improve, and the cost of its requests. */
import { given, RULES_MAKER, SMALL_MAKER, smallKey } from '../core/index.ts';
import { number, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

export interface Cost {
  readonly at: string;
  /** Undefined for a request about a session's summary. */
  readonly turn?: string;
  readonly session: string;
  readonly driver: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

export interface Spent {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

export interface SpentBy extends Spent {
  /** The day, session, turn, driver or model. */
  readonly key: string;
}

export type CostKey = 'day' | 'session' | 'turn' | 'driver' | 'model';

export interface CostFilter {
  readonly since?: string;
  readonly before?: string;
  readonly session?: string;
}

/** A turn that a model did not improve, and why. */
export interface PassedTurn {
  readonly turn: string;
  readonly at: string;
  readonly driver: string;
  readonly reason: string;
}

const COLUMN: Readonly<Record<CostKey, string>> = {
  day: 'substr(at, 1, 10)',
  session: 'session',
  turn: "ifnull(turn, '')",
  driver: 'driver',
  model: 'model',
};
const SUMS =
  'count(*) AS requests, ifnull(sum(input_tokens), 0) AS input, ifnull(sum(output_tokens), 0) AS output, ifnull(sum(usd), 0.0) AS usd';

export function recordCost(db: Database, cost: Cost): void {
  const { at, session, driver, turn, model, inputTokens, outputTokens, usd } = cost;
  const tokens = { input_tokens: inputTokens, output_tokens: outputTokens };
  db.put('cost', { at, session, driver, turn, model, ...tokens, usd });
}

export function spent(db: Database, filter: CostFilter = {}): Spent {
  const { where, values } = scope(filter);
  return spentOf(db.get(`SELECT ${SUMS} FROM cost ${where}`, ...values) ?? {});
}

/** Returns days with the newest first, everything else with the most expensive first. */
export function spentBy(db: Database, key: CostKey, filter: CostFilter = {}, limit = 50): readonly SpentBy[] {
  const { where, values } = scope(filter);
  const order = key === 'day' ? 'key DESC' : 'usd DESC, input DESC, key';
  return db
    .all(
      `SELECT ${COLUMN[key]} AS key, ${SUMS} FROM cost ${where} GROUP BY key ORDER BY ${order} LIMIT ?`,
      ...values,
      limit,
    )
    .map((row) => ({ key: text(row, 'key'), ...spentOf(row) }));
}

export function markPassed(db: Database, { turn, at, driver, reason }: PassedTurn): void {
  db.put('passed', { turn, at, driver, reason });
}

export function passedTurns(db: Database, since = ''): readonly PassedTurn[] {
  return db.all('SELECT * FROM passed WHERE at >= ? ORDER BY at DESC', since).map((row) => ({
    turn: text(row, 'turn'),
    at: text(row, 'at'),
    driver: text(row, 'driver'),
    reason: text(row, 'reason'),
  }));
}

/** Records which distiller processed a turn, and the ids of the memories it made. */
export function markDistilled(
  db: Database,
  turn: string,
  by: string,
  memories: readonly string[] = [],
): void {
  db.transaction(() => {
    db.put('distilled', { turn, made_by: by });
    // A failure of the small model counts until the turn is read after all.
    if (by !== RULES_MAKER) db.run('DELETE FROM passed WHERE turn = ?', smallKey(turn));
    for (const memory of memories) db.run('INSERT OR IGNORE INTO made VALUES (?, ?)', memory, turn);
  });
}

export function distilledBy(db: Database, turn: string): string | undefined {
  const row = db.get('SELECT made_by FROM distilled WHERE turn = ?', turn);
  return row && text(row, 'made_by');
}

/** Tells whether a distiller ever made this memory. One that is missing now was deleted by the user. */
export function wasMade(db: Database, memory: string): boolean {
  return db.get('SELECT 1 FROM made WHERE memory = ?', memory) !== undefined;
}

/** Forgets which memories were made of a turn, so that those that are missing do not count as deleted by the user. */
export function forgetMade(db: Database, turn: string): void {
  db.run('DELETE FROM made WHERE turn = ?', turn);
}

/**
 * Returns turns that no language model has processed: the project in use first, and within a project oldest first,
 * because a request lists the memories of the turns before. `again` adds those a model failed to improve, but not those
 * that were too trivial for a request.
 */
export function improvable(
  db: Database,
  options: { readonly since: string; readonly again?: boolean; readonly limit: number },
): readonly string[] {
  const passed = options.again ? `AND passed.reason = 'trivial'` : '';
  return db
    .all(
      `SELECT turn.id AS id FROM turn JOIN distilled ON distilled.turn = turn.id
       WHERE distilled.made_by IN (?, ?) AND turn.ended_at >= ?
         AND NOT EXISTS (SELECT 1 FROM passed WHERE passed.turn = turn.id ${passed})
       ORDER BY max(turn.at) OVER (PARTITION BY turn.project) DESC, turn.project, turn.at, turn.id LIMIT ?`,
      RULES_MAKER,
      SMALL_MAKER,
      options.since,
      options.limit,
    )
    .map((row) => text(row, 'id'));
}

const KEEPABLE = `distilled.turn = turn.id WHERE distilled.made_by = '${RULES_MAKER}'
    AND NOT EXISTS (SELECT 1 FROM passed WHERE passed.turn = '${smallKey('')}' || turn.id)`;

/**
 * Returns turns that the small model has not read: the newest session first, and within a session oldest first.
 * @param after only turns stored after this row, which is quick even if many wait
 */
export function keepable(db: Database, limit: number, after?: number): readonly string[] {
  // Without `after` the rows of `distilled` are looked at first: usually none waits.
  const from =
    after === undefined
      ? `distilled CROSS JOIN turn ON ${KEEPABLE}`
      : `turn CROSS JOIN distilled ON ${KEEPABLE} AND turn.row > ${after}`;
  return db
    .all(
      `SELECT turn.id AS id FROM ${from}
       ORDER BY max(turn.at) OVER (PARTITION BY turn.session) DESC, turn.session, turn.at, turn.id LIMIT ?`,
      limit,
    )
    .map((row) => text(row, 'id'));
}

export function keepableCount(db: Database): number {
  return number(
    db.get(`SELECT count(*) AS turns FROM distilled CROSS JOIN turn ON ${KEEPABLE}`) ?? {},
    'turns',
  );
}

/** Returns the row of the turn that was stored last. */
export function newestTurnRow(db: Database): number {
  return number(db.get('SELECT ifnull(max(row), 0) AS newest FROM turn') ?? {}, 'newest');
}

/**
 * Returns the turns that the small model may read again, oldest first: those since then that no language model has
 * processed, and those that it failed to read, whatever their time.
 */
export function keepableAgain(db: Database, since: string): readonly string[] {
  return db
    .all(
      `SELECT turn.id AS id FROM turn JOIN distilled ON distilled.turn = turn.id
       WHERE distilled.made_by IN (?, ?)
         AND (turn.ended_at >= ? OR EXISTS (SELECT 1 FROM passed WHERE passed.turn = '${smallKey('')}' || turn.id))
       ORDER BY turn.at, turn.id`,
      RULES_MAKER,
      SMALL_MAKER,
      since,
    )
    .map((row) => text(row, 'id'));
}

function scope({ since, before, session }: CostFilter): {
  readonly where: string;
  readonly values: readonly string[];
} {
  const parts = given({ 'at >= ?': since, 'at < ?': before, 'session = ?': session });
  const clauses = Object.keys(parts);
  return {
    where: clauses.length > 0 ? `WHERE ${clauses.join(' AND ')}` : '',
    values: Object.values(parts).map(String),
  };
}

function spentOf(row: Row): Spent {
  return {
    requests: number(row, 'requests'),
    inputTokens: number(row, 'input'),
    outputTokens: number(row, 'output'),
    usd: number(row, 'usd'),
  };
}
