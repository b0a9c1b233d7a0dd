/** One connection to the index: opening, migrating, transactions, and errors a caller can act on. Knows no table but its own. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { TidemarkError } from '../core/index.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts';

export type Row = Record<string, SQLOutputValue>;

/** Longer than any transaction of the one writer; the CLI may read while a rebuild commits. */
const BUSY_TIMEOUT_MS = 5000;

/** A log longer than this is cut back after a checkpoint, so that one big import leaves no big file. */
const WAL_LIMIT_BYTES = 16 * 1024 * 1024;

/** So long may it get before it is written back: a page that changes again and again is then written once. */
const WAL_PAGES = 4000;

/**
 * Words land all over the index, and are looked up all over it: with SQLite's 2 MB an import of a long history reads and
 * writes each page many times. Only a large index ever fills so much.
 */
const CACHE_KB = { writer: 64 * 1024, reader: 32 * 1024 } as const;

/** SQLite's own name for a database without a file; tests use it. */
const IN_MEMORY = ':memory:';

const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;
  #open = true; // Node 22.13 cannot tell yet

  constructor(path: string, readOnly: boolean) {
    try {
      this.#db = connect(path, readOnly);
    } catch (error) {
      throw translated(error, existsSync(path));
    }
    try {
      // The patience first: a reader that looks at a file just made would make the change of mode fail.
      this.#db.exec(
        `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
         PRAGMA cache_size = -${readOnly ? CACHE_KB.reader : CACHE_KB.writer}`,
      );
      if (!readOnly)
        this.#db.exec(
          `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
           PRAGMA wal_autocheckpoint = ${WAL_PAGES}`,
        );
      this.#migrate(readOnly);
    } catch (error) {
      this.#db.close();
      throw translated(error, true);
    }
  }

  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#guard(() => this.#prepare(sql).run(...values)).changes);
  }

  /** The number of the row it made. */
  insert(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#guard(() => this.#prepare(sql).run(...values)).lastInsertRowid);
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values));
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values));
  }

  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  /** Everything in `work` or nothing. Joins the transaction it is called in. Never asynchronous. */
  transaction<T>(work: () => T): T {
    if (this.#inTransaction) return work();
    // A deferred transaction that reads and then writes fails as soon as somebody else has written in between.
    this.exec('BEGIN IMMEDIATE');
    this.#inTransaction = true;
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  /** `work` reads one state of the database, whatever is written meanwhile. Not inside a transaction. */
  snapshot<T>(work: () => T): T {
    this.exec('BEGIN');
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  /** With another database readable under the name handed to `work`. Not inside a transaction. */
  attached<T>(path: string, work: (schema: string) => T): T {
    this.run('ATTACH DATABASE ? AS other', path);
    try {
      return work('other');
    } finally {
      this.#statements.clear(); // those that name it
      this.exec('DETACH DATABASE other');
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#open) this.#db.close();
    this.#open = false;
  }

  /** Some errors (a full disk) have ended the transaction already; then there is nothing left to undo. */
  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // The error that led here is the one to report.
    }
  }

  #migrate(readOnly: boolean): void {
    const version = schemaVersion(this.#db);
    if (version > SCHEMA_VERSION) {
      throw new TidemarkError(
        'index-newer',
        `the index has schema ${version}, this program knows ${SCHEMA_VERSION}`,
        {
          hint: 'update Tidemark, or run `tidemark reindex` to build the index anew from the journal',
        },
      );
    }
    if (version === SCHEMA_VERSION) return;
    if (readOnly) {
      throw new TidemarkError(
        'index-older',
        `the index has schema ${version}, this program needs ${SCHEMA_VERSION}`,
        {
          hint: 'start the daemon once: it brings the index up to date',
        },
      );
    }
    this.transaction(() => {
      this.#db.exec(`CREATE TABLE IF NOT EXISTS schema_version
        (version INTEGER PRIMARY KEY, name TEXT NOT NULL, why TEXT NOT NULL, applied_at TEXT NOT NULL)`);
      // Read again: another process may have migrated while this one waited for the lock.
      const now = schemaVersion(this.#db);
      for (const step of MIGRATIONS.filter(({ version: number }) => number > now)) {
        this.#db.exec(step.sql);
        this.#db
          .prepare(`INSERT INTO schema_version VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`)
          .run(step.version, step.name, step.why);
      }
    });
  }

  /** Statements whose text varies without bound (lists of values) must not be built one by one: pass JSON instead. */
  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translated(error, true);
    }
  }
}

function connect(path: string, readOnly: boolean): DatabaseSync {
  if (readOnly) return new DatabaseSync(path, { readOnly: true });
  if (path === IN_MEMORY) return new DatabaseSync(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives the -wal and -shm files the permissions of the database, so this one file decides.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return new DatabaseSync(path);
}

function schemaVersion(db: DatabaseSync): number {
  const table = db
    .prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'`)
    .get();
  if (!table) return 0;
  return Number(db.prepare('SELECT max(version) AS version FROM schema_version').get()?.['version'] ?? 0);
}

function translated(error: unknown, exists: boolean): unknown {
  if (error instanceof TidemarkError || !(error instanceof Error)) return error;
  const sqlite = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  const system = 'code' in error ? error.code : undefined;
  const unreadable = sqlite === SQLITE_CANTOPEN || system === 'EACCES' || system === 'EISDIR';
  if (sqlite === SQLITE_CORRUPT || sqlite === SQLITE_NOTADB || (exists && unreadable)) {
    return new TidemarkError('index-corrupt', 'the index cannot be read', {
      cause: error,
      hint: 'run `tidemark reindex`: the index is built anew from journal, turn store and ledger',
    });
  }
  if (sqlite === undefined && system === undefined) return error;
  return new TidemarkError('index-unavailable', `the index cannot be used: ${error.message}`, {
    cause: error,
    hint: 'check free space and permissions of the data folder, then run `tidemark doctor`',
  });
}
