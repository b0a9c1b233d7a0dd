/** Codex's folder of settings and sessions. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function codexHome(env: NodeJS.ProcessEnv): string {
  return env['CODEX_HOME'] || join(env['HOME'] || homedir(), '.codex');
}
