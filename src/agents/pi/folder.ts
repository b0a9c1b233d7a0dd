/** pi's folder of settings, extensions and sessions. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export function piFolder(env: NodeJS.ProcessEnv): string {
  const set = env['PI_CODING_AGENT_DIR'];
  const home = env['HOME'] || homedir();
  if (!set) return join(home, '.pi', 'agent');
  return set === '~' || set.startsWith('~/') ? join(home, set.slice(1)) : set;
}

/** The folder with a folder of sessions per project. */
export function sessionsFolder(env: NodeJS.ProcessEnv): string {
  return env['PI_CODING_AGENT_SESSION_DIR'] || join(piFolder(env), 'sessions');
}
