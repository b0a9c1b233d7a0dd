/** Loads the team server's own program, only for the verbs that need it, and says its errors as the CLI's own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import { DIST } from '../../program.ts';
import type { Context, Option } from '../../verb.ts';
import type * as Server from '../../../server/index.ts';

export type Operator = Server.Operator;

export const DATABASE: Readonly<Record<'database-url', Option>> = {
  'database-url': {
    type: 'string',
    value: 'url',
    doc: 'postgres://user:password@host/database; better in DATABASE_URL, where ps does not show it.',
  },
};
export const TEAM: Readonly<Record<'team', Option>> = {
  team: { type: 'string', value: 'team', doc: 'Name or id; needed only where there are several.' },
};

/** As an operator: straight on the database, no server need run. `asItIs: false` brings the schema up to date first. */
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
  throw new TidemarkError('usage', 'which database?', {
    hint: 'Set DATABASE_URL=postgres://user:password@host/database, or give --database-url.',
  });
}

function program(): typeof Server {
  const file = join(DIST, 'server.cjs');
  if (!existsSync(file)) {
    throw new TidemarkError('not-built', 'the program is not built', { hint: 'In a clone, run: npm start' });
  }
  return process.getBuiltinModule('node:module').createRequire(file)(file) as typeof Server;
}

/** The other program has a class of errors of its own; the same fields, but not the same class. */
async function asOurs<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TidemarkError') throw error;
    const { code, hint, message } = error as TidemarkError;
    const said = code === 'database-unavailable' ? 'unreachable' : code;
    throw new TidemarkError(said, message, { cause: error, ...given({ hint }) });
  }
}
