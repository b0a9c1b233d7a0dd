/**
 * The team's database: a connection pool and transactions that are bound to one member of one team before the first
 * statement. The operations are functions over a transaction, one module each.
 */
import { Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { shortHash, TidemarkError } from '../../core/index.ts';
import { Semaphore } from '../../files/index.ts';
import type { Embedder } from '../../models/index.ts';
import { checkedUuid, databaseError } from './errors.ts';
import { migrate, requireSchema } from './schema/migrate.ts';
import type { VectorMode } from './search/pgvector.ts';
import { VectorSearch } from './search/vector-search.ts';
import { number, storable } from './values.ts';
import type { Caller, Row, Work } from './work.ts';

interface StoreOptions {
  /** `postgres://…`, or a `pg` configuration (tests). */
  readonly database: string | PoolConfig;
  readonly connections?: number;
  /** Does not migrate the schema; throws if it is too old. */
  readonly asItIs?: boolean;
}

interface TransactionOptions {
  /** The database refuses to write. */
  readonly readOnly?: boolean;
  /** Changes no text, so that no vector has to be computed. */
  readonly unnoticed?: boolean;
}

/** A database with two cores serves about this many at once; more only wait inside it. */
const CONNECTIONS = 20;
/** The database cancels a statement that takes longer. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5000;
/** A connection keeps the plans of its statements; the first search on a new one takes twice as long. */
const IDLE_MS = 10 * 60_000;
/** Attempts of a transaction that meets a deadlock or loses a race. */
const TRIES = 4;
const STATEMENT_NAME_CHARS = 16;
/**
 * How long a request waits for a connection: as long as a statement may take, because a client that waited longer has
 * given up. The pool's own queue would give up after the time a connection may take to open, and report a busy server as
 * a missing database.
 */
const WAIT_MS = 30_000;

export class TeamStore {
  readonly #pool: Pool;
  readonly #requests: Semaphore;
  #vectors: VectorMode = 'none';
  #vectorSearch: VectorSearch | undefined;

  private constructor(pool: Pool) {
    this.#pool = pool;
    this.#requests = new Semaphore(pool.options.max, WAIT_MS, tooBusy);
    // The pool replaces an idle connection that breaks. One in use fails its next statement. Without a listener the
    // event of either would end the process.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Connects and migrates the schema, unless `asItIs` is set. */
  static async open(options: StoreOptions): Promise<TeamStore> {
    const { database, connections = CONNECTIONS } = options;
    const pool = new Pool({
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      application_name: 'tidemark',
      ...(typeof database === 'string' ? { connectionString: database } : database),
    });
    const store = new TeamStore(pool);
    try {
      store.#vectors = await store.#prepareSchema(options.asItIs ? requireSchema : migrate);
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
    const row = await this.outside((work) =>
      work.row('SELECT coalesce(max(number), 0) AS done FROM tidemark.migration'),
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
    const begin = `BEGIN ${readOnly ? 'READ ONLY' : 'READ WRITE'}; SET LOCAL ROLE tidemark_app; SET LOCAL jit = off;
      SET LOCAL tidemark.team = '${team}'; SET LOCAL tidemark.member = '${member}'`;
    const search = this.#vectorSearch;
    const result = await this.#retried(begin, (client) =>
      work({
        ...workOn(client, { team, member }),
        ...(search ? { vectorOf: (query: string) => search.vectorOf(query) } : {}),
      }),
    );
    if (!readOnly && !unnoticed) search?.wake({ team, member });
    return result;
  }

  /** Enables vector search: computes vectors in the background, until the store is closed. */
  useEmbedder(embedder: Embedder, failed: (error: unknown) => void): void {
    this.#vectorSearch = new VectorSearch(embedder, this, failed);
  }

  /** Runs statements outside of any team, where only the lookup functions of the schema return rows. */
  async outside<T>(work: (work: Pick<Work, 'rows' | 'row'>) => Promise<T>): Promise<T> {
    return this.#retried('BEGIN; SET LOCAL ROLE tidemark_app', (client) =>
      work(workOn(client, { team: '', member: '' })),
    );
  }

  async close(): Promise<void> {
    await this.#vectorSearch?.end();
    await this.#pool.end();
  }

  async #prepareSchema(prepare: typeof migrate): Promise<VectorMode> {
    const client = await this.#pool.connect();
    try {
      return await prepare((text, values) => client.query(text, values && [...values]));
    } finally {
      client.release();
    }
  }

  async #retried<T>(begin: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#requests.run(() => this.#once(begin, work));
      } catch (error) {
        if (tries < TRIES && isLostRace(error)) continue;
        throw databaseError(error);
      }
    }
  }

  async #once<T>(begin: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((cause: unknown) => {
        broken = cause instanceof Error ? cause : new Error(String(cause));
      });
      throw error;
    } finally {
      // A connection that could not roll back is discarded.
      client.release(broken);
    }
  }
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

function tooBusy(): TidemarkError {
  return new TidemarkError('database-unavailable', 'too many requests wait for the database', {
    hint: 'Give the server more connections (--connections), or the database more room.',
  });
}
