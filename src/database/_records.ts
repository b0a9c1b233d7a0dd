/** Small records of the index: how far files were read, what was injected, counts, named values. */
import { given, mayBeShort } from '../core/index.ts';
import { count, number, optionalNumber, text } from './columns.ts';
import type { Database, Row } from './connection.ts';

/** How far a transcript was read, and the state of its file then. */
export interface TranscriptMark {
  readonly path: string;
  readonly session: string;
  readonly project: string;
  readonly readOffset: number;
  readonly size: number;
  readonly inode: number;
  readonly mtime: number;
  /** Hash of the first bytes: differs if another file has taken its place. */
  readonly headHash: string;
}

/** The state of a journal file when it was last read. */
export interface JournalMark {
  readonly path: string;
  readonly mtime: number;
  readonly size: number;
  readonly hash: string;
}

export interface Injection {
  readonly at: string;
  readonly session: string;
  /** `brief`, `prompt`, `edit`, or `subagent` for the context of a subagent. */
  readonly place: string;
  /** Empty without a prompt, as at the start of a session. */
  readonly promptId: string;
  readonly memory: string;
  readonly score?: number;
}

/** The number of memories of a project with one kind and state. */
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
  /** Memories that an agent opened, counted once per session. */
  readonly opened: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly byState: Readonly<Record<string, number>>;
  readonly byProject: Readonly<Record<string, number>>;
  /** Memories by day, `YYYY-MM-DD`. */
  readonly byDay: Readonly<Record<string, number>>;
  readonly bytes: number;
}

export function setTranscript(db: Database, mark: TranscriptMark): void {
  const { path, session, project, readOffset, size, inode, mtime, headHash } = mark;
  const read = { read_offset: readOffset, head_hash: headHash };
  db.put('transcript', { path, session, project, size, inode, mtime, ...read });
}

export function transcript(db: Database, path: string): TranscriptMark | undefined {
  const row = db.get('SELECT * FROM transcript WHERE path = ?', path);
  return row && transcriptOf(row);
}

export function transcripts(db: Database): readonly TranscriptMark[] {
  return db.all('SELECT * FROM transcript ORDER BY path').map(transcriptOf);
}

export function setJournalFile(db: Database, { path, mtime, size, hash }: JournalMark): void {
  db.put('journal_file', { path, mtime, size, hash });
}

export function journalFiles(db: Database): readonly JournalMark[] {
  return db.all('SELECT * FROM journal_file ORDER BY path').map(journalFileOf);
}

export function journalFile(db: Database, path: string): JournalMark | undefined {
  const row = db.get('SELECT * FROM journal_file WHERE path = ?', path);
  return row && journalFileOf(row);
}

export function removeJournalFile(db: Database, path: string): void {
  db.run('DELETE FROM journal_file WHERE path = ?', path);
}

export function recordInjection(db: Database, injections: readonly Injection[]): void {
  db.transaction(() => {
    for (const { at, session, place, promptId, memory, score } of injections)
      db.put('injection', { at, session, place, prompt_id: promptId, memory, score });
  });
}

/** Returns the injections of a session, with `since` only those from that time on (a compaction drops the earlier ones). */
export function injectedIn(db: Database, session: string, since = ''): readonly Injection[] {
  return db
    .all('SELECT * FROM injection WHERE session = ? AND at >= ? ORDER BY at, memory', session, since)
    .map(injectionOf);
}

/** Returns the injections since a time, the newest first. */
export function injectionsSince(db: Database, since: string, limit: number): readonly Injection[] {
  return db
    .all('SELECT * FROM injection WHERE at >= ? ORDER BY at DESC LIMIT ?', since, limit)
    .map(injectionOf);
}

/** Newest first. */
export function injectionsOf(db: Database, memory: string, limit: number): readonly Injection[] {
  return db
    .all('SELECT * FROM injection WHERE memory = ? ORDER BY at DESC LIMIT ?', memory, limit)
    .map(injectionOf);
}

export function timesInjected(db: Database, memory: string): number {
  return count(db.get('SELECT count(*) AS n FROM injection WHERE memory = ?', memory));
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

export function stats(db: Database): IndexStats {
  const one = (sql: string): number => count(db.get(sql));
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
    opened: one('SELECT count(*) AS n FROM opened'),
    byKind: by('kind'),
    byState: by('state'),
    byProject: by('project'),
    byDay: by('substr(at, 1, 10)'),
    bytes: one('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size'),
  };
}

/** Returns ids that start with the prefix, in order. Memories are also found by their short id. */
export function idsBeginning(
  db: Database,
  table: 'memory' | 'turn' | 'session',
  prefix: string,
  limit: number,
): readonly string[] {
  if (prefix === '') return [];
  const within = (column: string): readonly string[] =>
    db
      .all(
        `SELECT id FROM ${table} WHERE ${column} >= ? AND ${column} < ? ORDER BY ${column} LIMIT ?`,
        prefix,
        `${prefix}~`,
        limit,
      )
      .map((row) => text(row, 'id'));
  const found = within('id');
  if (table !== 'memory' || !mayBeShort(prefix)) return found;
  return [...new Set([...found, ...within('substr(id, 8)')])].slice(0, limit);
}

export function addRedactions(db: Database, counts: Readonly<Record<string, number>>): void {
  db.transaction(() => {
    for (const [type, n] of Object.entries(counts))
      db.run(
        'INSERT INTO redaction VALUES (?, ?) ON CONFLICT (type) DO UPDATE SET count = count + excluded.count',
        type,
        n,
      );
  });
}

export function redactions(db: Database): Readonly<Record<string, number>> {
  const rows = db.all('SELECT type, count FROM redaction ORDER BY count DESC');
  return Object.fromEntries(rows.map((row) => [text(row, 'type'), number(row, 'count')]));
}

export function meta(db: Database, key: string): string | undefined {
  const row = db.get('SELECT value FROM meta WHERE key = ?', key);
  return row && text(row, 'value');
}

/** No key contains it, and every other character sorts before it. */
const LAST_CHARACTER = '\u{10FFFF}';

/** Returns the values whose key starts with the prefix. Every turn with a tool asks, so other keys are not read. */
export function metaWith(db: Database, prefix: string): ReadonlyMap<string, string> {
  const sql = 'SELECT key, value FROM meta WHERE key >= ? AND key < ?';
  const rows = db.all(sql, prefix, prefix + LAST_CHARACTER);
  return new Map(rows.map((row) => [text(row, 'key'), text(row, 'value')]));
}

export function setMeta(db: Database, key: string, value: string): void {
  db.put('meta', { key, value });
}

/** Returns the problems SQLite finds, full text included. Reads the whole file: not for the hot path. */
export function problems(db: Database): readonly string[] {
  try {
    const found = db.snapshot(() => {
      // FTS5 caches its layout and checks the table against the cache, unless the table is read first.
      for (const table of ['memory_fts', 'turn_fts']) db.get(`SELECT rowid FROM ${table} LIMIT 1`);
      return db.all('PRAGMA integrity_check(20)').map((row) => text(row, 'integrity_check'));
    });
    return found.filter((line) => line !== 'ok');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function injectionOf(row: Row): Injection {
  return {
    at: text(row, 'at'),
    session: text(row, 'session'),
    place: text(row, 'place'),
    promptId: text(row, 'prompt_id'),
    memory: text(row, 'memory'),
    ...given({ score: optionalNumber(row, 'score') }),
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
