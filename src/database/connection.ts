/** One connection to the index: opening, creating the schema, transactions, and errors a caller can act on. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { TidemarkError } from '../core/index.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

export type Row = Record<string, SQLOutputValue>;

/** Longer than any transaction of the only writer. */
const BUSY_TIMEOUT_MS = 5000;

/** A log longer than this is truncated after a checkpoint, so that one big import leaves no big file. */
const WAL_LIMIT_BYTES = 16 * 1024 * 1024;

/** The log is written back at this length: a page that changes often is then written once. */
const WAL_PAGES = 4000;

/**
 * Words are spread over the whole index: with SQLite's default of 2 MB an import of a long history reads and writes each
 * page many times. Only a large index fills this cache.
 */
const CACHE_KB = { writer: 64 * 1024, reader: 32 * 1024 } as const;

/** SQLite's name for a database without a file. */
const IN_MEMORY = ':memory:';

const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #inTransaction = false;
  #open = true; // Node 22.13 has no `isOpen`

  constructor(path: string, readOnly: boolean) {
    try {
      this.#db = connect(path, readOnly);
    } catch (error) {
      throw translated(error, existsSync(path));
    }
    try {
      // The timeout comes first: a reader of a file that was just created would make the change of mode fail.
      this.#db.exec(
        `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};
         PRAGMA cache_size = -${readOnly ? CACHE_KB.reader : CACHE_KB.writer}`,
      );
      if (!readOnly)
        this.#db.exec(
          `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
           PRAGMA wal_autocheckpoint = ${WAL_PAGES}`,
        );
      this.#checkSchema(readOnly);
    } catch (error) {
      this.#db.close();
      throw translated(error, true);
    }
  }

  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#guard(() => this.#prepare(sql).run(...values)).changes);
  }

  /** Returns the number of the inserted row. */
  insert(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#guard(() => this.#prepare(sql).run(...values)).lastInsertRowid);
  }

  /**
   * Inserts a row or replaces the one with the same key. An undefined column becomes NULL. The caller names the columns:
   * a record of the ledger has more fields than its table.
   */
  put(table: string, row: Readonly<Record<string, SQLInputValue | undefined>>): void {
    const names = Object.keys(row);
    this.run(
      `INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      ...Object.values(row).map((value) => value ?? null),
    );
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

  /** Commits everything in `work` or nothing. Joins the transaction it is called in. `work` must not be asynchronous. */
  transaction<T>(work: () => T): T {
    if (this.#inTransaction) return work();
    // A deferred transaction that reads and then writes fails if another connection has written in between.
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

  /** Runs `work` on one state of the database, whatever is written meanwhile. Not inside a transaction. */
  snapshot<T>(work: () => T): T {
    this.exec('BEGIN');
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  /** Runs `work` with another database readable under the given schema name. Not inside a transaction. */
  attached<T>(path: string, work: (schema: string) => T): T {
    this.run('ATTACH DATABASE ? AS other', path);
    try {
      return work('other');
    } finally {
      this.#statements.clear(); // some name the other database
      this.exec('DETACH DATABASE other');
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#open) this.#db.close();
    this.#open = false;
  }

  /** Some errors (a full disk) have already ended the transaction; then there is nothing to undo. */
  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // The caller reports the error that caused the rollback.
    }
  }

  #checkSchema(readOnly: boolean): void {
    const version = schemaVersion(this.#db);
    if (version === SCHEMA_VERSION) return;
    if (version !== 0 || readOnly) throw otherVersion(version);
    this.transaction(() => {
      // Another process may have created the tables while this one waited for the lock.
      if (schemaVersion(this.#db) === 0) this.#db.exec(SCHEMA);
    });
  }

  /** Every statement text is kept, so lists of values are passed as JSON instead of as many placeholders. */
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
  // SQLite gives the -wal and -shm files the permissions of the database file.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return new DatabaseSync(path);
}

/** Returns 0 for a file without tables. */
function schemaVersion(db: DatabaseSync): number {
  const table = db
    .prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'`)
    .get();
  if (!table) return 0;
  return Number(db.prepare('SELECT max(version) AS version FROM schema_version').get()?.['version'] ?? 0);
}

function otherVersion(version: number): TidemarkError {
  const made = version === 0 ? 'the index is being created' : `the index has schema ${version}`;
  return new TidemarkError('index-version', `${made}, this program needs schema ${SCHEMA_VERSION}`, {
    hint: 'start the daemon: it rebuilds the index from journal, turn store and ledger',
  });
}

function translated(error: unknown, exists: boolean): unknown {
  if (error instanceof TidemarkError || !(error instanceof Error)) return error;
  const sqlite = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  const system = 'code' in error ? error.code : undefined;
  const unreadable = sqlite === SQLITE_CANTOPEN || system === 'EACCES' || system === 'EISDIR';
  if (sqlite === SQLITE_CORRUPT || sqlite === SQLITE_NOTADB || (exists && unreadable)) {
    return new TidemarkError('index-corrupt', 'the index cannot be read', {
      cause: error,
      hint: 'run `tidemark reindex`: it rebuilds the index from journal, turn store and ledger',
    });
  }
  if (sqlite === undefined && system === undefined) return error;
  return new TidemarkError('index-unavailable', `the index cannot be used: ${error.message}`, {
    cause: error,
    hint: 'check free space and permissions of the data folder, then run `tidemark doctor`',
  });
}
