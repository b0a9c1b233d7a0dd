/**
 * The database of `tidemark server start --dev`: PostgreSQL inside this process (PGlite), in one folder, with one
 * connection. For trials: it does not wait for the disk, so a power cut can lose the last changes; a killed process cannot.
 */
import type * as Pglite from '@electric-sql/pglite';
import type * as NodePostgres from '@electric-sql/pglite/node-postgres';
import type * as Pgvector from '@electric-sql/pglite-pgvector';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PoolConfig } from 'pg';
import { TidemarkError } from '../../core/index.ts';
import { acquireLock, type Lock } from '../../daemon/index.ts';
import { makeFolderSync, namesIn, writeAtomicallySync } from '../../files/index.ts';

/** A trial: its folder, and the folders from which its packages are looked up. */
export interface Trial {
  readonly folder: string;
  readonly packagesFrom: readonly string[];
}

export interface Embedded {
  readonly database: PoolConfig;
  close(): Promise<void>;
}

/** The exact versions, because a later PostgreSQL cannot open the folder of an earlier one. */
export const TRIAL_PACKAGES = {
  '@electric-sql/pglite': '0.5.14',
  '@electric-sql/pglite-pgvector': '0.0.15',
} as const;

const LOCK = 'lock';

/** Opens the database, creating it in an empty folder. Throws `trial-in-use` while another process has it. */
export async function openEmbedded(trial: Trial): Promise<Embedded> {
  const packages = loadPackages(trial);
  const lock = lockTrial(trial);
  try {
    const { PGlite, createPgConfig, vector } = packages;
    const pglite = await PGlite.create({ dataDir: prepared(trial), extensions: { vector } });
    writeAtomicallySync(createdMark(trial), '');
    return {
      // A second connection would share the transaction of the first; a closed one would lose its plans.
      database: { ...createPgConfig(pglite), max: 1, idleTimeoutMillis: 0 },
      close: async () => {
        await pglite.close();
        lock.release();
      },
    };
  } catch (cause) {
    lock.release();
    throw new TidemarkError('trial-broken', `the trial database in ${trial.folder} cannot be opened`, {
      cause,
      hint: `Delete the folder to start again: rm -r ${trial.folder}. The memories of each machine stay there; log in and share again.`,
    });
  }
}

/** Returns the packages to install for a trial; none where they are found. */
export function missingPackages({ packagesFrom }: Pick<Trial, 'packagesFrom'>): readonly string[] {
  return Object.entries(TRIAL_PACKAGES)
    .filter(([name]) => find(name, packagesFrom) === undefined)
    .map(([name, version]) => `${name}@${version}`);
}

/** Whether a process has the trial open now. */
export function isInUse(trial: Trial): boolean {
  if (!existsSync(trial.folder)) return false;
  const lock = acquireLock(lockFile(trial));
  lock?.release();
  return lock === undefined;
}

function lockTrial(trial: Trial): Lock {
  makeFolderSync(trial.folder);
  const names = namesIn(trial.folder);
  if (names.length > 0 && !names.includes(LOCK))
    throw new TidemarkError('usage', `${trial.folder} contains other files`, {
      hint: 'Choose an empty or a new folder with --data <folder>.',
    });
  const lock = acquireLock(lockFile(trial));
  if (lock) return lock;
  throw new TidemarkError('trial-in-use', `another process uses the trial database in ${trial.folder}`, {
    hint: 'Stop that server first (Ctrl-C), or choose another folder with --data <folder>.',
  });
}

/** Returns the folder of the database. What an interrupted first start left behind is removed: it contains no row. */
function prepared(trial: Trial): string {
  const folder = join(trial.folder, 'database');
  if (!existsSync(createdMark(trial))) rmSync(folder, { recursive: true, force: true });
  makeFolderSync(folder);
  return folder;
}

function lockFile({ folder }: Trial): string {
  return join(folder, LOCK);
}

function createdMark({ folder }: Trial): string {
  return join(folder, 'created');
}

interface Packages {
  readonly PGlite: typeof Pglite.PGlite;
  readonly createPgConfig: typeof NodePostgres.createPgConfig;
  readonly vector: typeof Pgvector.vector;
}

/** The paths are known only at run time, so the bundle does not contain the 15 MB of PostgreSQL. */
function loadPackages(trial: Trial): Packages {
  const missing = missingPackages(trial);
  if (missing.length > 0)
    throw new TidemarkError('trial-not-installed', 'the embedded database of a trial is not installed', {
      hint: `Install it: npm install --prefix ${trial.packagesFrom.at(-1)} ${missing.join(' ')}`,
    });
  const load = (name: string): unknown => {
    const file = find(name, trial.packagesFrom) ?? name;
    return createRequire(file)(file);
  };
  return {
    ...(load('@electric-sql/pglite') as typeof Pglite),
    ...(load('@electric-sql/pglite/node-postgres') as typeof NodePostgres),
    ...(load('@electric-sql/pglite-pgvector') as typeof Pgvector),
  };
}

function find(name: string, folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    try {
      return createRequire(join(folder, 'here.js')).resolve(name);
    } catch {
      // not here: try the next folder
    }
  }
  return undefined;
}
