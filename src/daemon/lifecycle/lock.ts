/**
 * Allows one daemon per data folder: an exclusive SQLite transaction that stays open and writes nothing. The kernel
 * releases it when the process ends, however that happens.
 */
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/index.ts';
import { FILE_MODE } from '../../files/index.ts';

const SQLITE_BUSY = 5;
/**
 * SQLite takes a shared lock before the exclusive one: without a short wait, two daemons that start together can block
 * each other and neither gets it. A running daemon has it for hours.
 */
const PATIENCE_MS = 200;

/** The garbage collector would close a database without a reference, and release its lock. */
const held = new Set<DatabaseSync>();

export interface Lock {
  release(): void;
}

/**
 * Returns undefined when another process has the lock. The holder must never open the file in any other way: on POSIX
 * systems closing any descriptor of a file drops every lock that the process has on it.
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
    hint: `Check that you own its folder and can write to it. If no daemon runs, delete ${path}`,
  });
}
