/** Locates the running program, for the verbs that install it or print how to call it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../core/index.ts';
import { originOf, type Origin } from '../install/index.ts';

/** The folder of the built programs, this one included. */
export const DIST = __dirname;

export function ownOrigin(places: Places): Origin {
  return originOf(DIST, places);
}

/** Returns the CLI's command as a user in this folder would type it. */
export function ownCommand(cwd: string): string {
  const root = join(DIST, '..', '..');
  const bin = join(root, 'bin', 'tidemark');
  if (!existsSync(bin) || root.includes('node_modules')) return 'tidemark';
  return root === cwd ? './bin/tidemark' : bin;
}
