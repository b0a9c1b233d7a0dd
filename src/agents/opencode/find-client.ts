/** Finds the user's own OpenCode program. */
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findProgram } from '../installing/find-program.ts';

export function findOpenCode(env: NodeJS.ProcessEnv): string | undefined {
  // Its own installer adds this folder to the PATH of new shells only.
  const own = join(env['HOME'] || homedir(), '.opencode', 'bin');
  return findProgram({ ...env, PATH: [env['PATH'] ?? '', own].join(delimiter) }, 'opencode');
}
