/** What turns ended on (files, commit), and what was of use, as the ledger tells it. Called by MemoryIndex only. */
import type { Memory } from '../core/index.ts';
import { number, optionalText, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

/** The files a turn spoke of as they were when it ended, and the commit the work tree was on. */
export interface FileSnapshot {
  readonly turn: string;
  readonly session: string;
  readonly project: string;
  readonly at: string;
  readonly branch?: string;
  readonly head?: string;
  /** Path below the project's root → git's blob hash. Those of which nothing is known are left out. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Use {
  readonly memory: string;
  readonly session: string;
  readonly how: 'opened' | 'echoed';
  readonly at: string;
}

/** In how many sessions a memory was put before the agent by itself, and in how many it was of use. */
export interface UseCount {
  readonly shown: number;
  readonly used: number;
}

/** A branch as turns knew it: the commit they ended on, where that is known. */
export interface BranchHead {
  readonly branch: string;
  readonly head?: string;
}

export function putFileSnapshot(db: Database, footing: FileSnapshot): void {
  const { turn, session, project, at, branch, head, files } = footing;
  db.run(
    'INSERT OR REPLACE INTO footing VALUES (?, ?, ?, ?, ?, ?, ?)',
    turn,
    session,
    project,
    at,
    branch ?? null,
    head ?? null,
    JSON.stringify(files),
  );
}

export function fileSnapshotOf(db: Database, turn: string): FileSnapshot | undefined {
  const row = db.get('SELECT * FROM footing WHERE turn = ?', turn);
  return row && fromRow(row);
}

/** Of the turns that said the memory, and of later turns of its session: an agent that goes on working makes nothing stale. */
export function fileSnapshotsOf(db: Database, memory: Memory): readonly FileSnapshot[] {
  const { turn, also = [], session } = memory.provenance;
  const rows = db.all(
    `SELECT * FROM footing WHERE turn IN (SELECT value FROM json_each(?))
     UNION SELECT * FROM footing WHERE session = ? AND session <> '' AND at >= ?`,
    JSON.stringify([turn, ...also]),
    session,
    memory.at,
  );
  return rows.map(fromRow);
}

export function removeFileSnapshots(db: Database, turns: readonly string[]): void {
  db.run('DELETE FROM footing WHERE turn IN (SELECT value FROM json_each(?))', JSON.stringify(turns));
}

/** Newest first, each once. */
export function branchHeads(db: Database, project: string, limit: number): readonly BranchHead[] {
  return db
    .all(
      `SELECT branch, head, max(at) AS last FROM footing WHERE project = ? AND branch IS NOT NULL
       GROUP BY branch, head ORDER BY last DESC, branch, head LIMIT ?`,
      project,
      limit,
    )
    .map((row) => {
      const head = optionalText(row, 'head');
      return { branch: text(row, 'branch'), ...(head === undefined ? {} : { head }) };
    });
}

export function putUse(db: Database, { memory, session, how, at }: Use): void {
  db.run('INSERT OR IGNORE INTO used VALUES (?, ?, ?, ?)', memory, session, how, at);
}

export function isUsed(db: Database, { memory, session, how }: Omit<Use, 'at'>): boolean {
  return (
    db.get('SELECT 1 FROM used WHERE memory = ? AND session = ? AND how = ?', memory, session, how) !==
    undefined
  );
}

/** Those of which there is something to tell. The brief does not count as shown: what holds stands there every time. */
export function useCounts(db: Database, memories: readonly string[]): ReadonlyMap<string, UseCount> {
  const rows = db.all(
    `SELECT id.value AS memory,
       (SELECT count(DISTINCT session) FROM injection WHERE memory = id.value AND place <> 'brief') AS shown,
       (SELECT count(DISTINCT session) FROM used WHERE memory = id.value) AS used
     FROM json_each(?) AS id WHERE shown + used > 0`,
    JSON.stringify(memories),
  );
  return new Map(
    rows.map((row) => [text(row, 'memory'), { shown: number(row, 'shown'), used: number(row, 'used') }]),
  );
}

function fromRow(row: Row): FileSnapshot {
  const [branch, head] = [optionalText(row, 'branch'), optionalText(row, 'head')];
  return {
    turn: text(row, 'turn'),
    session: text(row, 'session'),
    project: text(row, 'project'),
    at: text(row, 'at'),
    ...(branch === undefined ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    // Written by us, as this.
    files: parsed(row, 'files') as Record<string, string>,
  };
}
