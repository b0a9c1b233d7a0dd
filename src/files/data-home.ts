/**
 * Decides whether this user can keep data in the data folder, before anything is created in it. Matters in containers:
 * users without an entry in the user database, read-only home folders, volumes that another user wrote.
 */
import { accessSync, constants, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { TidemarkError, type Places } from '../core/index.ts';

/** Sets HOME to the root folder where the user has none, as container engines do. */
export function ensureHome(env: NodeJS.ProcessEnv): void {
  try {
    homedir();
  } catch {
    env['HOME'] = '/';
  }
}

/** Throws where the data folder cannot be used. */
export function requireUsableHome(places: Pick<Places, 'home' | 'run'>): void {
  const problem = homeProblem(places);
  if (problem) throw problem;
}

/**
 * Returns why the data folder cannot be used. The owner counts where we made a folder: files that root adds to the data
 * of another user cannot be read by that user afterwards.
 */
export function homeProblem(
  { home, run }: Pick<Places, 'home' | 'run'>,
  user: number | undefined = process.getuid?.(),
): TidemarkError | undefined {
  const owner = lstatSync(run, { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && user !== undefined && owner !== user) {
    return new TidemarkError('other-owner', `${home} belongs to another user (uid ${owner})`, {
      hint: 'Run Tidemark as that user, or set TIDEMARK_HOME to a folder of your own.',
    });
  }
  if (isWritable(nearestExisting(home))) return undefined;
  return new TidemarkError('not-writable', `${home} cannot be written`, {
    hint: 'Set TIDEMARK_HOME to a folder that you can write to, or change the owner of this one.',
  });
}

function nearestExisting(path: string): string {
  const parent = dirname(path);
  return parent === path || lstatSync(path, { throwIfNoEntry: false }) ? path : nearestExisting(parent);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
