/**
 * Opens another program's SQLite file without changing a byte of its folder: as an immutable file, or as a copy while
 * there is a write-ahead log.
 */
import { constants, copyFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/index.ts';
import { isRegularFile } from '../../files/index.ts';
import { withRegularFile } from './_safe-read.ts';
import type { Loose } from './_values.ts';

const MAGIC = 'SQLite format 3\0';
/** Its owner may checkpoint the log during the copy, which is rare. */
const COPY_TRIES = 5;

export interface PeerDatabase {
  readonly tables: ReadonlySet<string>;
  columns(table: string): ReadonlySet<string>;
  all(sql: string, ...values: readonly (string | number)[]): Iterable<Loose>;
  close(): void;
}

/** `scratch`: a folder for the copy, if one is needed. */
export function openPeerDatabase(path: string, scratch: string): PeerDatabase {
  const reason = notADatabase(path);
  if (reason !== undefined) throw unreadable(path, reason);
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  try {
    if (!log || log.size === 0) return wrap(openImmutable(path));
  } catch {
    // This build of SQLite does not support immutable files: use a copy.
  }
  try {
    return wrap(new DatabaseSync(copyOf(path, scratch)));
  } catch (cause) {
    if (cause instanceof TidemarkError) throw cause;
    throw unreadable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** Returns why a file is not a database, from its first bytes. */
export function notADatabase(path: string): string | undefined {
  return withRegularFile(path, (file) => {
    const head = Buffer.alloc(MAGIC.length);
    if (readSync(file, head, 0, MAGIC.length, 0) === 0) return 'empty';
    return head.toString('latin1') === MAGIC ? undefined : 'not an SQLite database';
  });
}

function openImmutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url.href, { readOnly: true });
  database.prepare('SELECT count(*) FROM sqlite_master').get();
  return database;
}

function copyOf(path: string, scratch: string): string {
  const copy = join(scratch, 'peer.db');
  for (let tried = 0; tried < COPY_TRIES; tried++) {
    const before = stampOf(path);
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    if (isRegularFile(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    if (stampOf(path) === before) return copy;
  }
  throw unreadable(path, 'it changes faster than it can be copied');
}

function stampOf(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
    .map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : ''))
    .join('\n');
}

function wrap(database: DatabaseSync): PeerDatabase {
  const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as Loose[];
  const columns = new Map<string, ReadonlySet<string>>();
  return {
    tables: new Set(names.map(({ name }) => String(name))),
    columns(table) {
      const known = columns.get(table);
      if (known) return known;
      const found = database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as Loose[];
      const set = new Set(found.map(({ name }) => String(name)));
      columns.set(table, set);
      return set;
    },
    all: (sql, ...values) => database.prepare(sql).iterate(...values) as Iterable<Loose>,
    close: () => database.close(),
  };
}

function unreadable(path: string, reason: string, cause?: unknown): TidemarkError {
  return new TidemarkError('peer-unreadable', `${path}: ${reason}`, { cause });
}
