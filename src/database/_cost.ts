/** What distilling cost and what a model did with each turn, as the ledger tells it. Called by MemoryIndex only. */
import { defined, number, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

export interface Cost {
  readonly at: string;
  /** None: it was for the session's summary. */
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
  /** The day, session, turn or driver it was spent on. */
  readonly key: string;
}

export type CostKey = 'day' | 'session' | 'turn' | 'driver' | 'model';

export interface CostFilter {
  readonly since?: string;
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

export function putCost(db: Database, cost: Cost): void {
  db.run(
    'INSERT OR REPLACE INTO cost VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    cost.at,
    cost.session,
    cost.driver,
    cost.turn ?? null,
    cost.model,
    cost.inputTokens,
    cost.outputTokens,
    cost.usd,
  );
}

export function spent(db: Database, filter: CostFilter): Spent {
  const { where, values } = scope(filter);
  return spentOf(db.get(`SELECT ${SUMS} FROM cost ${where}`, ...values) ?? {});
}

/** Newest or dearest first: days by date, everything else by money and tokens. */
export function spentBy(db: Database, key: CostKey, filter: CostFilter, limit: number): readonly SpentBy[] {
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

export function putPassed(db: Database, { turn, at, driver, reason }: PassedTurn): void {
  db.run('INSERT OR REPLACE INTO passed VALUES (?, ?, ?, ?)', turn, at, driver, reason);
}

export function passedTurns(db: Database, since: string): readonly PassedTurn[] {
  return db.all('SELECT * FROM passed WHERE at >= ? ORDER BY at DESC', since).map((row) => ({
    turn: text(row, 'turn'),
    at: text(row, 'at'),
    driver: text(row, 'driver'),
    reason: text(row, 'reason'),
  }));
}

export function putMade(db: Database, turn: string, memories: readonly string[]): void {
  for (const memory of memories) db.run('INSERT OR IGNORE INTO made VALUES (?, ?)', memory, turn);
}

export function wasMade(db: Database, memory: string): boolean {
  return db.get('SELECT 1 FROM made WHERE memory = ?', memory) !== undefined;
}

/**
 * Turns the local distiller dealt with and no model has, newest first. Those a model was asked for in vain come again
 * only with `again`; those that were not worth a request never do.
 */
export function improvable(
  db: Database,
  options: { readonly since: string; readonly again?: boolean; readonly limit: number },
): readonly string[] {
  const passed = options.again ? `AND passed.reason = 'trivial'` : '';
  return db
    .all(
      `SELECT turn.id AS id FROM turn JOIN distilled ON distilled.turn = turn.id
       WHERE distilled.made_by = 'local' AND turn.ended_at >= ?
         AND NOT EXISTS (SELECT 1 FROM passed WHERE passed.turn = turn.id ${passed})
       ORDER BY turn.at DESC, turn.id LIMIT ?`,
      options.since,
      options.limit,
    )
    .map((row) => text(row, 'id'));
}

function scope({ since, session }: CostFilter): {
  readonly where: string;
  readonly values: readonly string[];
} {
  const parts = defined({ 'at >= ?': since, 'session = ?': session });
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
