/** Distilled turns, the memories made of them, and turns that the small model could not read. */
import { RULES_MAKER } from '../core/index.ts';
import { number, text } from './columns.ts';
import type { Database } from './connection.ts';

/** A turn that the small model could not read, and why. */
export interface PassedTurn {
  readonly turn: string;
  readonly reason: string;
}

export function markPassed(db: Database, { turn, reason }: PassedTurn): void {
  db.put('passed', { turn, reason });
}

export function passedTurns(db: Database): readonly PassedTurn[] {
  return db
    .all('SELECT turn, reason FROM passed')
    .map((row) => ({ turn: text(row, 'turn'), reason: text(row, 'reason') }));
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
    if (by !== RULES_MAKER) db.run('DELETE FROM passed WHERE turn = ?', turn);
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

const KEEPABLE = `distilled.turn = turn.id WHERE distilled.made_by = '${RULES_MAKER}'
    AND NOT EXISTS (SELECT 1 FROM passed WHERE passed.turn = turn.id)`;

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
