/** Inspects a database in one read-only transaction. Works without our schema and with any version of it. */
import { FROZEN_MS, LIMITED, withClient, type Address } from './connect.ts';
import { databaseError } from './errors.ts';
import { doneSoFar } from './schema/migrate.ts';
import { MIGRATIONS, type Migration } from './schema/migrations.ts';
import { rolesInUse, type Ask } from './schema/roles.ts';
import type { Row } from './work.ts';

export interface Inspection {
  /** The number of the last migration; 0 without our schema. */
  readonly done: number;
  /** The role that the server works as. */
  readonly app: string;
  /** The migrations that a server start would run. */
  readonly pending: readonly Pick<Migration, 'number' | 'name'>[];
  readonly rows: (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Switches to the server's role, so that the policies apply. */
  readonly asServer: () => Promise<void>;
}

export async function inspect<T>(
  database: Address,
  work: (inspection: Inspection) => Promise<T>,
): Promise<T> {
  try {
    return await withClient(database, { query_timeout: FROZEN_MS }, async (client) => {
      await client.query(`BEGIN READ ONLY; ${LIMITED}`);
      const ask: Ask = (text, values) => client.query(text, values && [...values]);
      const done = await doneSoFar(ask);
      const { app } = await rolesInUse(ask);
      return work({
        done,
        app,
        pending: MIGRATIONS.filter(({ number }) => number > done),
        rows: async (text, values = []) => (await client.query<Row>(text, [...values])).rows,
        asServer: async () => void (await client.query(`SET LOCAL ROLE ${app}`)),
      });
    });
  } catch (error) {
    throw databaseError(error);
  }
}
