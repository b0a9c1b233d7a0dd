/**
 * One daemon per data folder: an exclusive SQLite transaction that is held and never written through, so the kernel
 * releases it with the process, however that dies, and nothing is left behind that could block the next.
 */
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/index.ts';
import { FILE_MODE } from '../../files/index.ts';

const SQLITE_BUSY = 5;
/**
 * Taking an exclusive lock passes through a shared one: without a moment's patience, two that start together can each
 * stand in the other's way and neither gets it. A real holder keeps it for hours.
 */
const PATIENCE_MS = 200;

/** A database nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

export interface Lock {
  release(): void;
}

/**
 * Undefined when another process holds it. The file must never be opened by the holder in any other way: on POSIX
 * systems closing any descriptor of a file drops every lock the process has on it.
 */
export function acquireLock(path: string): Lock | undefined {
  const database = openDatabase(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    database.exec('BEGIN EXCLUSIVE');
    chmodSync(path, FILE_MODE);
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw lockError(path, error);
  }
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}

function openDatabase(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw lockError(path, error);
  }
}

function lockError(path: string, error: unknown): TidemarkError {
  return new TidemarkError('lock-failed', `cannot lock ${path}`, {
    cause: error,
    hint: `check that its folder is yours and writable; if no daemon runs, delete ${path}`,
  });
}
