/** Loads the team server's program for the verbs that need it, and translates its errors. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import { DIST } from '../../program.ts';
import { flag, optionText, pathOf, usageError, value, type Context, type Option } from '../../verb.ts';
import type * as Server from '../../../server/index.ts';

export type Operator = Server.OperatorCalls;

export const DATABASE: Readonly<Record<'database' | 'direct-database' | 'dev' | 'data', Option>> = {
  database: {
    ...value('url', 'postgres://user:password@host/database. Prefer DATABASE_URL, which ps does not show.'),
    alias: 'database-url',
  },
  'direct-database': value(
    'url',
    'The same database without the pooler that --database names. Prefer DIRECT_DATABASE_URL.',
  ),
  dev: flag('Use the embedded database of a trial instead of PostgreSQL.'),
  data: value('folder', 'With --dev: the folder of the trial (default: server-dev in the data folder).'),
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
  const database = directOf(context);
  return asOurs(() => program().withOperator(database, work, { asItIs }));
}

export function examine(context: Context): Promise<readonly Server.Finding[]> {
  const database = directOf(context);
  return asOurs(() => program().examineDatabase(database));
}

export function run(
  context: Context,
  options: Omit<Server.RunOptions, 'database' | 'directDatabase' | 'readDatabase'>,
): Promise<void> {
  const database = databaseOf(context);
  const others =
    typeof database === 'string'
      ? given({
          directDatabase: addressIn(context, 'direct-database', 'DIRECT_DATABASE_URL'),
          readDatabase: addressIn(context, 'read-database', 'READ_DATABASE_URL'),
        })
      : {};
  return asOurs(() => program().runServer({ ...options, ...others, database }));
}

/** Returns the address for commands, or the trial with `--dev`. */
function directOf(context: Context): Server.Database {
  const database = databaseOf(context);
  return typeof database === 'string' ? directAddressOf(context) : database;
}

/** Returns the address without a pooler if there is one: commands need a session, or change the schema. */
export function directAddressOf(context: Context): string {
  return addressIn(context, 'direct-database', 'DIRECT_DATABASE_URL') ?? addressOf(context);
}

/** An option wins over the environment. Empty is the same as not set. */
function addressIn({ options, env }: Context, option: string, variable: string): string | undefined {
  return optionText(options, option) || env[variable] || undefined;
}

/** Returns the address of the database, or the trial with `--dev`. */
export function databaseOf(context: Context): Server.Database {
  if (context.options['dev']) return trialOf(context);
  if (context.options['data'] !== undefined)
    throw usageError('--data is the folder of a trial', 'Add --dev, or leave --data out.');
  return addressOf(context);
}

export function addressOf(context: Context): string {
  const url = addressIn(context, 'database', 'DATABASE_URL');
  if (url) return url;
  throw usageError(
    'no database given',
    'Set DATABASE_URL=postgres://user:password@host/database, give --database, or try it without PostgreSQL: tidemark server start --dev',
  );
}

export function trialOf(context: Context): Server.Trial {
  const { options, places } = context;
  if (options['database'] !== undefined)
    throw usageError('--dev has its own database', 'Give either --dev or --database.');
  return {
    folder: pathOf(context, 'data') ?? places.trialServer,
    packagesFrom: [DIST, places.home],
  };
}

/** Returns the npm packages that a trial needs and that are not installed. */
export function missingPackages(trial: Server.Trial): readonly string[] {
  return program().missingPackages(trial);
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
