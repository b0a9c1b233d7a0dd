/** Locates the running program, for the verbs that install it or print how to call it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallWorld } from '../agents/index.ts';
import type { Places } from '../core/index.ts';
import { originOf, pluginFolder, type Origin } from '../install/index.ts';
import type { Context } from './verb.ts';

/** The folder of the built programs, this one included. */
export const DIST = __dirname;

export function ownOrigin(places: Places): Origin {
  return originOf(DIST, places);
}

/** Returns the input of the installers of the agents. */
export function ownWorld({ env, places, cwd }: Pick<Context, 'env' | 'places' | 'cwd'>): InstallWorld {
  return { env, places, plugin: pluginFolder(ownOrigin(places), places), cwd };
}

/** Returns the CLI's command as a user in this folder would type it. */
export function ownCommand(cwd: string): string {
  const root = join(DIST, '..', '..');
  const bin = join(root, 'bin', 'tidemark');
  if (!existsSync(bin) || root.includes('node_modules')) return 'tidemark';
  return root === cwd ? './bin/tidemark' : bin;
}
