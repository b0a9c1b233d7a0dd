/** OpenCode's folders, and the path of a session: `<database>#<session>`. */
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

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

/** The database of a released version of the client. */
export function databasePath(env: NodeJS.ProcessEnv): string {
  return resolve(dataFolder(env), env['OPENCODE_DB'] || 'opencode.db');
}

/** The database that `OPENCODE_DB` names, unless it is found in the folder anyway or is in memory only. */
export function otherDatabases(env: NodeJS.ProcessEnv): readonly string[] {
  const path = databasePath(env);
  const isListed = dirname(path) === dataFolder(env) && DATABASE.test(basename(path));
  return env['OPENCODE_DB'] === ':memory:' || isListed ? [] : [path];
}

/** A development version of the client has a database of its own. */
export const DATABASE = /^opencode(?:-[\w.-]+)?\.db$/;

/** The folder of the user's settings, plugins, commands and skills. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'opencode');
}
