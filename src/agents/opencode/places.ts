/** OpenCode's folders, and the path of a session: `<database>#<session>`. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of the databases. The client uses the same one on every system. */
export function dataFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share'), 'opencode');
}

export function sessionPath(database: string, session: string): string {
  return `${database}#${session}`;
}

export interface SessionPlace {
  readonly database: string;
  readonly session: string;
}

/** Undefined for a path that names no session. */
export function placeOf(path: string): SessionPlace | undefined {
  const [, database, session] = /^(.+)#(ses_\w+)$/s.exec(path) ?? [];
  return database === undefined || session === undefined ? undefined : { database, session };
}
