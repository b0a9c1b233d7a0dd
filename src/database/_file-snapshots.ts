/** The files and the commit at the end of each turn, and which memories were opened. */
import { given, type Memory } from '../core/index.ts';
import { number, optionalText, parsed, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

/** The files a turn mentions, as they were when it ended, and the commit of the work tree. */
export interface FileSnapshot {
  readonly turn: string;
  readonly session: string;
  readonly project: string;
  readonly at: string;
  readonly branch?: string;
  readonly head?: string;
  /** Path below the project's root → git's blob hash. Unknown files are left out. */
  readonly files: Readonly<Record<string, string>>;
}

/** A memory that the agent opened in a session. */
export interface Opened {
  readonly memory: string;
  readonly session: string;
  readonly at: string;
}

/** A branch that turns were on, with the commit at their end if it is known. */
export interface BranchHead {
  readonly branch: string;
  readonly head?: string;
}

export function putFileSnapshot(db: Database, snapshot: FileSnapshot): void {
  const { turn, session, project, at, branch, head, files } = snapshot;
  db.put('footing', { turn, session, project, at, branch, head, files: JSON.stringify(files) });
}

export function fileSnapshot(db: Database, turn: string): FileSnapshot | undefined {
  const row = db.get('SELECT * FROM footing WHERE turn = ?', turn);
  return row && fromRow(row);
}

/**
 * Returns the snapshots of the memory's turns and of later turns of its session: files that the agent changed in the same
 * session do not make the memory outdated.
 */
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

/** Returns the branches of a project's turns with the commits they ended on, newest first, each once. */
export function branchHeads(db: Database, project: string, limit: number): readonly BranchHead[] {
  return db
    .all(
      `SELECT branch, head, max(at) AS last FROM footing WHERE project = ? AND branch IS NOT NULL
       GROUP BY branch, head ORDER BY last DESC, branch, head LIMIT ?`,
      project,
      limit,
    )
    .map((row) => ({ branch: text(row, 'branch'), ...given({ head: optionalText(row, 'head') }) }));
}

export function recordOpened(db: Database, opened: readonly Opened[]): void {
  db.transaction(() => {
    for (const { memory, session, at } of opened)
      db.run('INSERT OR IGNORE INTO opened VALUES (?, ?, ?)', memory, session, at);
  });
}

export function isOpened(db: Database, memory: string, session: string): boolean {
  return db.get('SELECT 1 FROM opened WHERE memory = ? AND session = ?', memory, session) !== undefined;
}

/** Returns the number of sessions in which each of these memories was opened; none for the others. */
export function openedIn(db: Database, memories: readonly string[]): ReadonlyMap<string, number> {
  const rows = db.all(
    `SELECT memory, count(*) AS n FROM opened
     WHERE memory IN (SELECT value FROM json_each(?)) GROUP BY memory`,
    JSON.stringify(memories),
  );
  return new Map(rows.map((row) => [text(row, 'memory'), number(row, 'n')]));
}

function fromRow(row: Row): FileSnapshot {
  return {
    turn: text(row, 'turn'),
    session: text(row, 'session'),
    project: text(row, 'project'),
    at: text(row, 'at'),
    ...given({ branch: optionalText(row, 'branch'), head: optionalText(row, 'head') }),
    files: parsed(row, 'files') as Record<string, string>, // written by putFileSnapshot
  };
}
