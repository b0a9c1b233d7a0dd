/** How every connection to the database is made. TCP keep-alive finds a machine that is gone without a word. */
import { Client, type ClientConfig, type PoolConfig } from 'pg';

/** `postgres://…`, or a `pg` configuration (tests). */
export type Address = string | PoolConfig;

const CONNECT_TIMEOUT_MS = 5000;
/** The database cancels a statement that takes longer. */
export const STATEMENT_TIMEOUT_MS = 20_000;
/** The database ends a transaction that this process left open, so that its locks do not block others. */
const IDLE_IN_TRANSACTION_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;

export function connectionTo(database: Address): PoolConfig {
  return {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'tidemark',
    ...(typeof database === 'string' ? { connectionString: database } : database),
  };
}

/** Runs `work` with a connection of its own. `limits`: further settings of the connection. */
export async function withClient<T>(
  database: Address,
  limits: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ ...connectionTo(database), ...limits });
  // A broken connection fails the next statement. Without a listener its event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    void client.end().catch(() => {});
  }
}
