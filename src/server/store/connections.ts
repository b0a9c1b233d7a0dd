/**
 * A pool of connections to one database, and transactions on them. A transaction that waits for a connection, or whose
 * database is frozen, fails in time. Knows nothing of teams; errors are those of the database.
 */
import type { Socket } from 'node:net';
import { Pool, type PoolClient, type QueryResult } from 'pg';
import { shortHash, TidemarkError } from '../../core/index.ts';
import { Semaphore } from '../../files/index.ts';
import { SilentDatabase } from './_silent-database.ts';
import { connectionTo, type Address } from './connect.ts';
import { storable } from './values.ts';
import type { Row } from './work.ts';

export interface ConnectionsOptions {
  readonly database: Address;
  readonly most: number;
  /** The most time that the check whether a silent database answers again may take. */
  readonly checkMs: number;
  /**
   * Statements have no names: a pooler gives each transaction another connection, where a prepared statement of that
   * name is missing or is another one. The database plans them each time.
   */
  readonly isPooled: boolean;
}

export interface Transaction<T> {
  /** Statements without values, in one round trip. */
  readonly begin: string;
  /** Checks the answers to `begin`; throws to give the transaction up. */
  readonly accept?: (answers: readonly QueryResult<Row>[]) => void;
  readonly work: (query: Query) => Promise<T>;
  /** Called after `work`: statements without values that end the transaction. */
  readonly commit: () => string;
  /** The work is one statement, which it sends at once: begin and commit are sent with it. */
  readonly isSingle?: boolean;
  readonly withinMs: number;
}

/** `text` never contains user input. */
export type Query = (text: string, values: readonly unknown[]) => Promise<QueryResult<Row>>;

/** The time that connections get to say goodbye. */
const GOODBYE_MS = 2000;
/** A connection keeps the plans of its statements; the first search on a new one takes twice as long. */
const IDLE_MS = 10 * 60_000;
const STATEMENT_NAME_CHARS = 16;
/**
 * How long a request waits for a connection: as long as its client waits. The pool's own queue would give up after the
 * time a connection may take to open, and report a busy server as a missing database.
 */
const WAIT_MS = 30_000;

export class Connections {
  readonly #pool: Pool;
  readonly #silent: SilentDatabase;
  readonly #requests: Semaphore;
  readonly #clients = new Set<PoolClient>();
  readonly #isPooled: boolean;

  constructor({ database, most, checkMs, isPooled }: ConnectionsOptions) {
    // `pipeline`: sends a statement without waiting for the one before it.
    const pool = new Pool({
      max: most,
      idleTimeoutMillis: IDLE_MS,
      pipeline: true,
      ...connectionTo(database),
    });
    this.#pool = pool;
    this.#isPooled = isPooled;
    this.#silent = new SilentDatabase(database, checkMs);
    this.#requests = new Semaphore(pool.options.max, WAIT_MS, tooBusy);
    // The pool replaces an idle connection that breaks. One in use fails its next statement. Without a listener the
    // event of either would end the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => {
      client.on('error', () => {});
      this.#clients.add(client);
    });
    pool.on('remove', (client) => this.#clients.delete(client));
  }

  /** Connections and waiting transactions, for metrics. */
  get load(): { readonly connections: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount } = this.#pool;
    return { connections: totalCount, idle: idleCount, waiting: this.#requests.waiting };
  }

  /** Commits all of `work` or nothing. */
  run<T>(transaction: Transaction<T>): Promise<T> {
    return this.#requests.run(() => this.#once(transaction));
  }

  async close(): Promise<void> {
    this.#silent.close();
    // A frozen database does not close its side of a connection.
    const timer = setTimeout(() => this.#clients.forEach(destroy), GOODBYE_MS);
    await this.#pool.end();
    clearTimeout(timer);
  }

  async #once<T>({ begin, accept, work, commit, isSingle, withinMs }: Transaction<T>): Promise<T> {
    if (this.#silent.isSilent) throw doesNotAnswer();
    const client = await this.#pool.connect().catch((error: unknown) => {
      // A refused connection fails fast by itself.
      if (error instanceof Error && /timeout/i.test(error.message)) this.#silent.check();
      throw error;
    });
    let broken: Error | undefined;
    // Fails the statement that waits for the database, and every later one.
    const timer = setTimeout(() => {
      broken = doesNotAnswer();
      destroy(client);
      this.#silent.check();
    }, withinMs);
    try {
      // The first statement is sent behind it. If a setting fails, the transaction is aborted, and so is that statement.
      // BEGIN itself has no options and cannot fail.
      const begun = client.query<Row>(begin);
      begun.catch(() => {});
      // Several statements have several answers, which the types of pg do not know.
      if (accept) accept([await begun].flat());
      const working = work(this.#queryOn(client));
      const committed = isSingle ? client.query(commit()) : undefined;
      committed?.catch(() => {});
      // Never before the work ends, which still uses the connection.
      const result = await working.catch(async (error: unknown) => {
        await begun;
        throw error;
      });
      await begun;
      await (committed ?? client.query(commit()));
      return result;
    } catch (error) {
      if (broken) throw broken;
      await client.query('ROLLBACK').catch((cause: unknown) => {
        broken ??= cause instanceof Error ? cause : new Error(String(cause));
      });
      throw error;
    } finally {
      clearTimeout(timer);
      // A connection that could not roll back is discarded.
      client.release(broken);
    }
  }

  #queryOn(client: PoolClient): Query {
    return (text, values) =>
      client.query<Row>({
        ...(this.#isPooled ? {} : { name: shortHash(text, STATEMENT_NAME_CHARS) }),
        text,
        values: values.map(storable),
      });
  }
}

/** Closes the socket at once. `end` would wait for the database, which may be frozen. */
function destroy(client: PoolClient): void {
  // Not in the types of pg.
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

function doesNotAnswer(): TidemarkError {
  return new TidemarkError('database-unavailable', 'the database does not answer', {
    hint: 'Check that PostgreSQL runs and is not stopped or overloaded. The server continues by itself.',
  });
}

function tooBusy(): TidemarkError {
  return new TidemarkError('database-unavailable', 'too many requests wait for the database', {
    hint: 'Give the server more connections (--connections), or the database more room.',
  });
}
