/**
 * The team's database: a connection pool and transactions that are bound to one member of one team before the first
 * statement. The operations are functions over a transaction, one module each.
 */
import type { Socket } from 'node:net';
import { Pool, type PoolClient, type QueryResult } from 'pg';
import { shortHash, TidemarkError } from '../../core/index.ts';
import { Semaphore } from '../../files/index.ts';
import type { Embedder } from '../../models/index.ts';
import { SilentDatabase } from './_silent-database.ts';
import { connectionTo, STATEMENT_TIMEOUT_MS, withClient, type Address } from './connect.ts';
import { checkedUuid, databaseError } from './errors.ts';
import { migrate, requireSchema } from './schema/migrate.ts';
import { rolesInUse, type Ask } from './schema/roles.ts';
import { VectorIndexes } from './search/vector-indexes.ts';
import type { VectorMode } from './search/pgvector.ts';
import { VectorSearch } from './search/vector-search.ts';
import { number, storable } from './values.ts';
import type { Caller, Row, Work } from './work.ts';

interface StoreOptions {
  readonly database: Address;
  readonly connections?: number;
  /** Does not migrate the schema; throws if it is too old. */
  readonly asItIs?: boolean;
  /** Shorter in tests. */
  readonly limits?: Partial<Limits>;
}

interface Limits {
  /** The most time that a transaction may take, statements of a frozen database included. */
  readonly transactionMs: number;
  /** The same for the readiness check, and for the connection that checks whether the database answers at all. */
  readonly checkMs: number;
}

interface TransactionOptions {
  /** The database refuses to write. */
  readonly readOnly?: boolean;
  /** Changes no text, so that no vector has to be computed. */
  readonly unnoticed?: boolean;
}

interface Running {
  readonly withinMs: number;
  /** The work is one statement, which it sends at once: begin and commit are sent with it. */
  readonly isSingle?: boolean;
}

/** A database with two cores serves about this many at once; more only wait inside it. */
const CONNECTIONS = 20;
/** More than a statement may take, and less than a client waits (30 s), so that the client gets an answer. */
const LIMITS: Limits = { transactionMs: 22_000, checkMs: 3000 };
/** The time that connections get to say goodbye. */
const GOODBYE_MS = 2000;
/** A connection keeps the plans of its statements; the first search on a new one takes twice as long. */
const IDLE_MS = 10 * 60_000;
/** Attempts of a transaction that meets a deadlock or loses a race. */
const TRIES = 4;
const STATEMENT_NAME_CHARS = 16;
/**
 * How long a request waits for a connection: as long as its client waits. The pool's own queue would give up after the
 * time a connection may take to open, and report a busy server as a missing database.
 */
const WAIT_MS = 30_000;

export class TeamStore {
  readonly #pool: Pool;
  readonly #database: Address;
  readonly #limits: Limits;
  readonly #silent: SilentDatabase;
  readonly #requests: Semaphore;
  readonly #clients = new Set<PoolClient>();
  #vectors: VectorMode = 'none';
  #app = '';
  #vectorSearch: VectorSearch | undefined;
  readonly #indexes: VectorIndexes;

  private constructor(pool: Pool, { database, limits }: StoreOptions) {
    this.#pool = pool;
    this.#database = database;
    this.#limits = { ...LIMITS, ...limits };
    this.#silent = new SilentDatabase(database, this.#limits.checkMs);
    this.#indexes = new VectorIndexes(database);
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

  /** Connects and migrates the schema, unless `asItIs` is set. */
  static async open(options: StoreOptions): Promise<TeamStore> {
    const { database, connections = CONNECTIONS } = options;
    const pool = new Pool({
      max: connections,
      idleTimeoutMillis: IDLE_MS,
      // Sends a statement without waiting for the one before it.
      pipeline: true,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      ...connectionTo(database),
    });
    const store = new TeamStore(pool, options);
    try {
      await store.#prepareSchema(options.asItIs ? requireSchema : migrate);
    } catch (error) {
      await pool.end();
      throw databaseError(error);
    }
    return store;
  }

  get vectors(): VectorMode {
    return this.#vectors;
  }

  /** Connections and waiting transactions, for metrics. */
  get load(): { readonly connections: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount } = this.#pool;
    return { connections: totalCount, idle: idleCount, waiting: this.#requests.waiting };
  }

  /** Returns the number of the last migration; throws if the database does not answer. */
  async migration(): Promise<number> {
    const row = await this.outside(
      (work) => work.row('SELECT coalesce(max(number), 0) AS done FROM tidemark.migration'),
      this.#limits.checkMs,
    );
    return row ? number(row, 'done') : 0;
  }

  /** Commits all of `work` or nothing. Runs `work` again after a deadlock or a lost race. */
  async transaction<T>(
    caller: Caller,
    work: (work: Work) => Promise<T>,
    { readOnly = false, unnoticed = false }: TransactionOptions = {},
  ): Promise<T> {
    const team = checkedUuid(caller.team);
    const member = checkedUuid(caller.member);
    // One round trip; the quoted values are uuids. JIT compilation takes longer than any of our statements.
    const begin = `BEGIN ${readOnly ? 'READ ONLY' : 'READ WRITE'}; SET LOCAL ROLE ${this.#app}; SET LOCAL jit = off;
      SET LOCAL tidemark.team = '${team}'; SET LOCAL tidemark.member = '${member}'`;
    const search = this.#vectorSearch;
    const result = await this.#retried(begin, (client) =>
      work({
        ...workOn(client, { team, member }),
        ...(search ? { vectorOf: (query: string) => search.vectorOf(query) } : {}),
        // An embedded database has one connection, so none to build an index with.
        ...(this.#pool.options.max > 1 ? { indexVectors: () => this.#indexes.want(team) } : {}),
      }),
    );
    if (!readOnly && !unnoticed) search?.wake({ team, member });
    return result;
  }

  /** Enables vector search: computes vectors in the background, until the store is closed. */
  useEmbedder(embedder: Embedder, failed: (error: unknown) => void): void {
    this.#vectorSearch = new VectorSearch(embedder, this, failed);
    this.#indexes.onFailure(failed);
  }

  /** Runs statements outside of any team, where only the lookup functions of the schema return rows. */
  async outside<T>(
    work: (work: Pick<Work, 'rows' | 'row'>) => Promise<T>,
    withinMs = this.#limits.transactionMs,
  ): Promise<T> {
    const begin = `BEGIN; SET LOCAL ROLE ${this.#app}`;
    return this.#retried(begin, (client) => work(workOn(client, { team: '', member: '' })), {
      withinMs,
    });
  }

  /** Calls a lookup function of the schema, like `outside`, in one round trip. */
  async lookUp(text: string, values: readonly unknown[]): Promise<Row | undefined> {
    const begin = `BEGIN; SET LOCAL ROLE ${this.#app}`;
    const nobody = { team: '', member: '' };
    return this.#retried(begin, (client) => workOn(client, nobody).row(text, values), {
      withinMs: this.#limits.transactionMs,
      isSingle: true,
    });
  }

  async close(): Promise<void> {
    this.#silent.close();
    this.#indexes.close();
    await this.#vectorSearch?.end();
    // A frozen database does not close its side of a connection.
    const timer = setTimeout(() => this.#clients.forEach(destroy), GOODBYE_MS);
    await this.#pool.end();
    clearTimeout(timer);
  }

  /** Without limits of time: a migration of a large database takes minutes. */
  async #prepareSchema(prepare: typeof migrate): Promise<void> {
    await withClient(this.#database, {}, async (client) => {
      const ask: Ask = (text, values) => client.query(text, values && [...values]);
      this.#vectors = await prepare(ask);
      this.#app = (await rolesInUse(ask)).app;
    });
  }

  async #retried<T>(
    begin: string,
    work: (client: PoolClient) => Promise<T>,
    running: Running = { withinMs: this.#limits.transactionMs },
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#requests.run(() => this.#once(begin, work, running));
      } catch (error) {
        if (tries < TRIES && isLostRace(error)) continue;
        throw databaseError(error);
      }
    }
  }

  async #once<T>(
    begin: string,
    work: (client: PoolClient) => Promise<T>,
    { withinMs, isSingle = false }: Running,
  ): Promise<T> {
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
      // The first statement is sent behind it. If it fails, the transaction is aborted and so is every later statement.
      const begun = client.query(begin);
      begun.catch(() => {});
      const working = work(client);
      const committed = isSingle ? client.query('COMMIT') : undefined;
      committed?.catch(() => {});
      // Never before the work ends, which still uses the connection.
      const result = await working.catch(async (error: unknown) => {
        await begun;
        throw error;
      });
      await begun;
      await (committed ?? client.query('COMMIT'));
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
}

/** Closes the socket at once. `end` would wait for the database, which may be frozen. */
function destroy(client: PoolClient): void {
  // Not in the types of pg.
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

function workOn(client: PoolClient, caller: Caller): Work {
  const query = async (text: string, values: readonly unknown[]): Promise<QueryResult<Row>> =>
    client.query<Row>({ name: shortHash(text, STATEMENT_NAME_CHARS), text, values: values.map(storable) });
  return {
    ...caller,
    rows: async (text, values = []) => (await query(text, values)).rows,
    row: async (text, values = []) => (await query(text, values)).rows[0],
    run: async (text, values = []) => (await query(text, values)).rowCount ?? 0,
  };
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';

/** Whether two transactions collided: the second attempt sees what the other one did. */
function isLostRace(error: unknown): boolean {
  if (error instanceof TidemarkError || !(error instanceof Error) || !('code' in error)) return false;
  return [SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION].includes(String(error.code));
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
