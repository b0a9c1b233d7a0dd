/** Loads the team server's program for the verbs that need it, and translates its errors. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import { DIST } from '../../program.ts';
import { usageError, value, type Context, type Option } from '../../verb.ts';
import type * as Server from '../../../server/index.ts';

export type Operator = Server.Operator;

export const DATABASE: Readonly<Record<'database-url', Option>> = {
  'database-url': value(
    'url',
    'postgres://user:password@host/database. Prefer DATABASE_URL, which ps does not show.',
  ),
};
export const TEAM: Readonly<Record<'team', Option>> = {
  team: value('team', 'Name or id; only needed if there are several.'),
};

/** Works directly on the database, without a running server. `asItIs: false` updates the schema first. */
export function operate<T>(
  context: Context,
  work: (operator: Operator) => Promise<T>,
  { asItIs = true }: { readonly asItIs?: boolean } = {},
): Promise<T> {
  const database = databaseOf(context);
  return asOurs(() => program().withOperator(database, work, { asItIs }));
}

export function examine(context: Context): Promise<readonly Server.Finding[]> {
  const database = databaseOf(context);
  return asOurs(() => program().examineDatabase(database));
}

export function run(context: Context, options: Omit<Server.RunOptions, 'database'>): Promise<void> {
  const database = databaseOf(context);
  return asOurs(() => program().runServer({ ...options, database }));
}

export function databaseOf({ options, env }: Context): string {
  const url = options['database-url'] ?? env['DATABASE_URL'];
  if (typeof url === 'string' && url !== '') return url;
  throw usageError(
    'no database given',
    'Set DATABASE_URL=postgres://user:password@host/database, or give --database-url.',
  );
}

function program(): typeof Server {
  const file = join(DIST, 'server.cjs');
  if (!existsSync(file)) {
    throw new TidemarkError('not-built', 'the program is not built', { hint: 'In a clone, run: npm start' });
  }
  return process.getBuiltinModule('node:module').createRequire(file)(file) as typeof Server;
}

/** The other bundle has its own copy of the error class, so `instanceof` fails. */
async function asOurs<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TidemarkError') throw error;
    const { code, hint, message } = error as TidemarkError;
    const ownCode = code === 'database-unavailable' ? 'unreachable' : code;
    throw new TidemarkError(ownCode, message, { cause: error, ...given({ hint }) });
  }
}
