/** Small records of the index: how far files were read, what was injected, counts. Called by MemoryIndex only. */
import { number, optionalNumber, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

/** How far a transcript was taken in, and what it looked like then. */
export interface TranscriptMark {
  readonly path: string;
  readonly session: string;
  readonly project: string;
  readonly readOffset: number;
  readonly size: number;
  readonly inode: number;
  readonly mtime: number;
  /** Hash of the first bytes: tells a file that grew from another one in its place. */
  readonly headHash: string;
}

/** What a journal file looked like when it was last taken in. */
export interface JournalMark {
  readonly path: string;
  readonly mtime: number;
  readonly size: number;
  readonly hash: string;
}

export interface Injection {
  readonly at: string;
  readonly session: string;
  /** `brief`, `prompt`, `edit`, or `subagent` for what never stood in the session's own context. */
  readonly place: string;
  /** Empty where there is no prompt, as at the start of a session. */
  readonly promptId: string;
  readonly memory: string;
  readonly score?: number;
}

/** How many memories a project has of one kind in one state. */
export interface Facet {
  readonly project: string;
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}

export interface IndexStats {
  readonly memories: number;
  readonly turns: number;
  readonly sessions: number;
  readonly projects: number;
  readonly injections: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly byState: Readonly<Record<string, number>>;
  readonly byProject: Readonly<Record<string, number>>;
  /** Memories by the day they were made, `YYYY-MM-DD`. */
  readonly byDay: Readonly<Record<string, number>>;
  readonly bytes: number;
}

export function putTranscript(db: Database, mark: TranscriptMark): void {
  const { path, session, project, readOffset, size, inode, mtime, headHash } = mark;
  db.run(
    'INSERT OR REPLACE INTO transcript VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    path,
    session,
    project,
    readOffset,
    size,
    inode,
    mtime,
    headHash,
  );
}

export function transcriptAt(db: Database, path: string): TranscriptMark | undefined {
  const row = db.get('SELECT * FROM transcript WHERE path = ?', path);
  return row && transcriptOf(row);
}

export function allTranscripts(db: Database): readonly TranscriptMark[] {
  return db.all('SELECT * FROM transcript ORDER BY path').map(transcriptOf);
}

export function putJournalFile(db: Database, { path, mtime, size, hash }: JournalMark): void {
  db.run('INSERT OR REPLACE INTO journal_file VALUES (?, ?, ?, ?)', path, mtime, size, hash);
}

export function allJournalFiles(db: Database): readonly JournalMark[] {
  return db.all('SELECT * FROM journal_file ORDER BY path').map(journalFileOf);
}

export function journalFileAt(db: Database, path: string): JournalMark | undefined {
  const row = db.get('SELECT * FROM journal_file WHERE path = ?', path);
  return row && journalFileOf(row);
}

export function putInjection(db: Database, injection: Injection): void {
  const { at, session, place, promptId, memory, score } = injection;
  db.run(
    'INSERT OR REPLACE INTO injection VALUES (?, ?, ?, ?, ?, ?)',
    at,
    session,
    place,
    promptId,
    memory,
    score ?? null,
  );
}

export function injectionsIn(db: Database, session: string, since: string): readonly Injection[] {
  const rows = db.all(
    'SELECT * FROM injection WHERE session = ? AND at >= ? ORDER BY at, memory',
    session,
    since,
  );
  return rows.map(injectionOf);
}

function injectionOf(row: Row): Injection {
  const score = optionalNumber(row, 'score');
  const injection = {
    at: text(row, 'at'),
    session: text(row, 'session'),
    place: text(row, 'place'),
    promptId: text(row, 'prompt_id'),
    memory: text(row, 'memory'),
  };
  return score === undefined ? injection : { ...injection, score };
}

/** Newest first. */
export function injectionsOf(db: Database, memory: string, limit: number): readonly Injection[] {
  return db
    .all('SELECT * FROM injection WHERE memory = ? ORDER BY at DESC LIMIT ?', memory, limit)
    .map(injectionOf);
}

export function timesInjected(db: Database, memory: string): number {
  return number(db.get('SELECT count(*) AS n FROM injection WHERE memory = ?', memory) ?? {}, 'n');
}

export function facets(db: Database): readonly Facet[] {
  return db
    .all('SELECT project, kind, state, count(*) AS n FROM memory GROUP BY project, kind, state')
    .map((row) => ({
      project: text(row, 'project'),
      kind: text(row, 'kind'),
      state: text(row, 'state'),
      count: number(row, 'n'),
    }));
}

export function countAll(db: Database): IndexStats {
  const one = (sql: string): number => number(db.get(sql) ?? {}, 'n');
  const by = (column: string): Readonly<Record<string, number>> =>
    Object.fromEntries(
      db
        .all(`SELECT ${column} AS name, count(*) AS n FROM memory GROUP BY ${column} ORDER BY n DESC, name`)
        .map((row) => [text(row, 'name'), number(row, 'n')]),
    );
  return {
    memories: one('SELECT count(*) AS n FROM memory'),
    turns: one('SELECT count(*) AS n FROM turn'),
    sessions: one('SELECT count(*) AS n FROM session'),
    projects: one('SELECT count(*) AS n FROM project'),
    injections: one('SELECT count(*) AS n FROM injection'),
    byKind: by('kind'),
    byState: by('state'),
    byProject: by('project'),
    byDay: by('substr(at, 1, 10)'),
    bytes: one('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size'),
  };
}

function transcriptOf(row: Row): TranscriptMark {
  return {
    path: text(row, 'path'),
    session: text(row, 'session'),
    project: text(row, 'project'),
    readOffset: number(row, 'read_offset'),
    size: number(row, 'size'),
    inode: number(row, 'inode'),
    mtime: number(row, 'mtime'),
    headHash: text(row, 'head_hash'),
  };
}

function journalFileOf(row: Row): JournalMark {
  return {
    path: text(row, 'path'),
    mtime: number(row, 'mtime'),
    size: number(row, 'size'),
    hash: text(row, 'hash'),
  };
}
