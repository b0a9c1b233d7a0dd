/**
 * A look at a database that changes nothing: one connection, a transaction the database itself holds to reading, undone at
 * the end. Needs no schema of ours: there may be none yet, or one of another version.
 */
import { Client, type ClientConfig } from 'pg';
import { databaseError } from './errors.ts';
import { doneSoFar } from './schema/migrate.ts';
import { MIGRATIONS, type Migration } from './schema/migrations.ts';
import type { Row } from './work.ts';

export interface Look {
  /** At which migration the database is; 0 where there is nothing of ours. */
  readonly done: number;
  /** What a start of this server would do to it. */
  readonly pending: readonly Pick<Migration, 'number' | 'name'>[];
  readonly rows: (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** From here on as the role the server works as, bound by its policies. */
  readonly asServer: () => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 30_000;

export async function look<T>(database: string | ClientConfig, work: (look: Look) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'tidemark',
    ...(typeof database === 'string' ? { connectionString: database } : database),
  });
  // One that breaks fails the next statement; unheard, its event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('BEGIN READ ONLY');
    const done = await doneSoFar((text, values) => client.query(text, values && [...values]));
    return await work({
      done,
      pending: MIGRATIONS.filter(({ number }) => number > done),
      rows: async (text, values = []) => (await client.query<Row>(text, [...values])).rows,
      asServer: async () => void (await client.query('SET LOCAL ROLE tidemark_app')),
    });
  } catch (error) {
    throw databaseError(error);
  } finally {
    await client.end().catch(() => {});
  }
}
