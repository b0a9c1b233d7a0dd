/** Makes a folder and what is missing above it, for the owner alone. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';

/**
 * By hand, because mkdirSync with `recursive` never returns where a folder exists but takes no children and says
 * ENOENT, as in /proc: a hook must not spin there.
 */
export function makeFolder(path: string): void {
  const error = make(path);
  if (!error) return;
  const parent = dirname(path);
  if (errnoOf(error) !== 'ENOENT' || parent === path) throw error;
  makeFolder(parent);
  const again = make(path);
  if (again) throw again;
}

/** Whatever is there already is fine: if it is a file, the next step fails with ENOTDIR. */
function make(path: string): unknown {
  try {
    mkdirSync(path, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return errnoOf(error) === 'EEXIST' ? undefined : error;
  }
}
