/**
 * Reads OpenCode's database. Opens it read-only and never keeps a transaction open, so that the client is never kept waiting.
 * A database that is busy or damaged gives an error with the reason.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { given, TidemarkError } from '../../../core/index.ts';
import { isRegularFile } from '../../../files/index.ts';
import { parseObject, textOf, type JsonObject } from '../../reading/json.ts';

/** A reader of a write-ahead log waits only while another process recovers the log after a crash. */
const BUSY_MS = 250;
/** No vendor's API takes a message of this size; a larger row is an attached file. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;

/** One row per conversation. */
export interface SessionRow {
  readonly id: string;
  /** The session that started this one as a subagent. */
  readonly parent?: string;
  readonly directory: string;
  readonly title: string;
  readonly version: string;
  /** The first message that the user has undone; the client deletes it and the later ones with the next prompt. */
  readonly undoneFrom?: string;
  readonly created: number;
  readonly updated: number;
}

/** One row per message, or per part of a message. `json` is missing if it is damaged or too large. */
export interface JsonRow {
  readonly id: string;
  readonly created: number;
  readonly updated: number;
  readonly json?: JsonObject;
  readonly isOversized: boolean;
}

export interface SizedSession extends SessionRow {
  readonly bytes: number;
}

const SESSION = 'id, parent_id, directory, title, version, revert, time_created, time_updated';
const JSON_ROW = `id, time_created, time_updated, octet_length(data) > ${MAX_ROW_BYTES} AS oversized,
  CASE WHEN octet_length(data) <= ${MAX_ROW_BYTES} THEN data END AS data`;

export class SessionDatabase {
  readonly #path: string;
  readonly #database: DatabaseSync;

  private constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
  }

  /** Undefined if there is no such file. */
  static open(path: string): SessionDatabase | undefined {
    if (!isRegularFile(path)) return undefined;
    return readable(path, () => new SessionDatabase(path, connect(path)));
  }

  close(): void {
    this.#database.close();
  }

  session(id: string): SessionRow | undefined {
    return this.#sessions(`SELECT ${SESSION} FROM session WHERE id = ?`, id)[0];
  }

  subagentsOf(id: string): readonly SessionRow[] {
    return this.#sessions(`SELECT ${SESSION} FROM session WHERE parent_id = ? ORDER BY time_created, id`, id);
  }

  /** Conversations of the user that have messages, with the bytes of their parts. */
  mainSessions(): readonly SizedSession[] {
    const bytes = '(SELECT sum(octet_length(data)) FROM part WHERE session_id = session.id)';
    const sql = `SELECT ${SESSION}, ${bytes} AS bytes FROM session WHERE parent_id IS NULL`;
    return this.#all(sql).flatMap((row) => {
      const size = Number(row['bytes'] ?? 0);
      return size > 0 ? [{ ...sessionOf(row), bytes: size }] : [];
    });
  }

  /** In the order of the conversation. */
  messages(session: string, since: number): readonly JsonRow[] {
    const order = 'ORDER BY time_created, id';
    const sql = `SELECT ${JSON_ROW} FROM message WHERE session_id = ? AND time_created >= ? ${order}`;
    return this.#all(sql, session, since).map(jsonOf);
  }

  parts(message: string): readonly JsonRow[] {
    return this.#all(`SELECT ${JSON_ROW} FROM part WHERE message_id = ? ORDER BY id`, message).map(jsonOf);
  }

  /** The parts of a session that started a subagent. */
  taskParts(session: string): readonly JsonRow[] {
    const isTask = `data LIKE '%"tool":"task"%'`;
    return this.#all(`SELECT ${JSON_ROW} FROM part WHERE session_id = ? AND ${isTask}`, session).map(jsonOf);
  }

  /** Milliseconds; it grows with every step of a session. Only the newest message changes, so no other is looked at. */
  lastChange({ id, updated }: SessionRow): number {
    const newest = 'SELECT id FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1';
    const times = [
      `SELECT time_updated AS at FROM message WHERE id = (${newest})`,
      `SELECT max(time_updated) AS at FROM part WHERE message_id = (${newest})`,
    ].flatMap((sql) => this.#all(sql, id));
    return Math.max(updated, ...times.map(({ at }) => Number(at ?? 0)));
  }

  #sessions(sql: string, ...values: readonly string[]): readonly SessionRow[] {
    return this.#all(sql, ...values).map(sessionOf);
  }

  #all(sql: string, ...values: readonly (string | number)[]): readonly Row[] {
    return readable(this.#path, () => this.#database.prepare(sql).all(...values) as readonly Row[]);
  }
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Without a log, a plain connection would create the log's files in the client's folder, so the file is opened as one that
 * does not change. A client that starts meanwhile creates a log first.
 */
function connect(path: string): DatabaseSync {
  const isLogged = statSync(`${path}-wal`, { throwIfNoEntry: false }) !== undefined;
  return (isLogged ? undefined : immutable(path)) ?? opened(path);
}

/** Undefined with a Node that takes no URLs for a database. */
function immutable(path: string): DatabaseSync | undefined {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  try {
    return opened(url.href);
  } catch {
    return undefined;
  }
}

function opened(place: string): DatabaseSync {
  const database = new DatabaseSync(place, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function sessionOf(row: Row): SessionRow {
  const revert = parseObject(String(row['revert'] ?? ''));
  return {
    id: String(row['id']),
    directory: String(row['directory'] ?? ''),
    title: String(row['title'] ?? ''),
    version: String(row['version'] ?? ''),
    created: Number(row['time_created']),
    updated: Number(row['time_updated']),
    ...given({ parent: textOf(row['parent_id']), undoneFrom: textOf(revert?.['messageID']) }),
  };
}

function jsonOf(row: Row): JsonRow {
  return {
    id: String(row['id']),
    created: Number(row['time_created']),
    updated: Number(row['time_updated']),
    isOversized: Number(row['oversized']) === 1,
    ...given({ json: parseObject(String(row['data'] ?? '')) }),
  };
}

function readable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { reason, hint } = explain(cause);
    throw new TidemarkError('transcript-unreadable', `cannot read ${path}: ${reason}`, { cause, hint });
  }
}

function explain(error: unknown): { readonly reason: string; readonly hint: string } {
  const { errcode, message } = error as Error & { readonly errcode?: number }; // what node:sqlite throws
  // The low byte is the kind of error; the rest is its detail.
  switch ((errcode ?? 0) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return { reason: 'the database is busy', hint: 'Tidemark tries again within a minute.' };
    case SQLITE_CORRUPT:
    case SQLITE_NOT_A_DATABASE:
      return {
        reason: `the database is damaged (${message})`,
        hint: 'Check it with: sqlite3 FILE "PRAGMA integrity_check"',
      };
    default:
      return { reason: message, hint: 'Check that the file belongs to you and can be read.' };
  }
}
