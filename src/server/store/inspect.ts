/** Inspects a database in one read-only transaction. Works without our schema and with any version of it. */
import { Client, type ClientConfig } from 'pg';
import { databaseError } from './errors.ts';
import { doneSoFar } from './schema/migrate.ts';
import { MIGRATIONS, type Migration } from './schema/migrations.ts';
import type { Row } from './work.ts';

export interface Inspection {
  /** The number of the last migration; 0 without our schema. */
  readonly done: number;
  /** The migrations that a server start would run. */
  readonly pending: readonly Pick<Migration, 'number' | 'name'>[];
  readonly rows: (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Switches to the server's role, so that the policies apply. */
  readonly asServer: () => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 30_000;

export async function inspect<T>(
  database: string | ClientConfig,
  work: (inspection: Inspection) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'tidemark',
    ...(typeof database === 'string' ? { connectionString: database } : database),
  });
  // A broken connection fails the next statement. Without a listener its event would end the process.
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
