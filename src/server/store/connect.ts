/**
 * How every connection to the database is made. TCP keep-alive finds a machine that is gone without a word. No setting of
 * a session is sent at the start, because a pooler refuses it: each transaction makes its own (`LIMITED`).
 */
import { Client, type ClientConfig, type PoolConfig } from 'pg';

/** `postgres://…`, or a `pg` configuration (tests). */
export type Address = string | PoolConfig;

const CONNECT_TIMEOUT_MS = 5000;
/** The database cancels a statement that takes longer. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** The database ends a transaction that this process left open, so that its locks do not block others. */
const IDLE_IN_TRANSACTION_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;

/** The limits of a transaction that answers a request, after its BEGIN. A migration takes as long as it needs. */
export const LIMITED = `SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;
/** For a client that gives up by itself, because a frozen database cannot cancel a statement. */
export const FROZEN_MS = STATEMENT_TIMEOUT_MS + 2000;

export function connectionTo(database: Address): PoolConfig {
  return {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
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

/**
 * Returns whether a pooler such as PgBouncer answers at this address. Its connections have a process id of their own,
 * which is not that of the database's process behind them.
 */
export async function isPooler(database: Address): Promise<boolean> {
  if (typeof database !== 'string') return false;
  return withClient(database, { query_timeout: FROZEN_MS }, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // Not in the types of pg.
    return rows[0]?.pid !== (client as unknown as { readonly processID: number }).processID;
  });
}
