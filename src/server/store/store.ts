/**
 * The team's database: a pool of connections, and transactions that are bound to one member of one team before the first
 * statement. Knows no operation; those are functions over a transaction, one module each.
 */
import { Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { shortHash, TidemarkError } from '../../core/index.ts';
import { Semaphore } from '../../files/index.ts';
import type { Embedder } from '../../models/index.ts';
import { checkedUuid, databaseError } from './errors.ts';
import { migrate, requireSchema } from './schema/migrate.ts';
import type { VectorMode } from './search/pgvector.ts';
import { VectorSearch } from './search/vector-search.ts';
import { adoptModel, putVectors, waitingTexts } from './search/vectors.ts';
import { holdable } from './values.ts';
import type { Caller, Row, Work } from './work.ts';

export interface StoreOptions {
  /** `postgres://…`, or what `pg` takes instead (tests). */
  readonly database: string | PoolConfig;
  /** Connections at most. */
  readonly connections?: number;
  /** A statement that takes longer is ended. */
  readonly statementTimeoutMs?: number;
  /** Takes the schema as it is, and throws where it is too old to work with. */
  readonly asItIs?: boolean;
}

export interface Transaction {
  /** Promises to write nothing: the database holds it to that. */
  readonly readOnly?: boolean;
  /** Changes no text, so that no vector need be made anew. */
  readonly unnoticed?: boolean;
}

/** Two cores of a database serve about so many at once; more only wait inside it. */
const CONNECTIONS = 20;
const STATEMENT_TIMEOUT_MS = 30_000;
/** A database that does not take a connection within this time is away. */
const CONNECT_TIMEOUT_MS = 5000;
/** A connection keeps the plans of its statements: a new one makes them anew, and its first search takes twice as long. */
const IDLE_MS = 10 * 60_000;
/** Deadlocks and lost races are tried again; what fails this often is something else. */
const TRIES = 4;
const STATEMENT_NAME = 16;
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
  #meaning: VectorSearch | undefined;

  private constructor(pool: Pool) {
    this.#pool = pool;
    this.#requests = new Semaphore(pool.options.max, WAIT_MS, tooBusy);
    // A connection that breaks while idle is replaced by the next one asked for.
    pool.on('error', () => {});
    // One that breaks in somebody's hands fails their next statement; unheard, its event would end the process.
    pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Connects and brings the schema up to date, unless it is to be taken as it is. */
  static async open(options: StoreOptions): Promise<TeamStore> {
    const { database, connections = CONNECTIONS, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
    const given = typeof database === 'string' ? { connectionString: database } : database;
    const pool = new Pool({
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: statementTimeoutMs,
      application_name: 'tidemark',
      ...given,
    });
    const store = new TeamStore(pool);
    try {
      store.#vectors = await store.#schema(options.asItIs ? requireSchema : migrate);
    } catch (error) {
      await pool.end();
      throw databaseError(error);
    }
    return store;
  }

  get vectors(): VectorMode {
    return this.#vectors;
  }

  /** What waits for a connection, and how many there are: for metrics. */
  get load(): { readonly connections: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount } = this.#pool;
    return { connections: totalCount, idle: idleCount, waiting: this.#requests.waiting };
  }

  /** Throws where the database does not answer. */
  async ready(): Promise<void> {
    try {
      await this.#pool.query('SELECT 1');
    } catch (error) {
      throw databaseError(error);
    }
  }

  /** All of `work` or nothing of it; what it returns is committed. May run `work` again when the database asks for that. */
  async transaction<T>(
    caller: Caller,
    work: (work: Work) => Promise<T>,
    { readOnly = false, unnoticed = false }: Transaction = {},
  ): Promise<T> {
    const team = checkedUuid(caller.team);
    const member = checkedUuid(caller.member);
    // One round trip. The ids are uuids, nothing else can stand between the quotes. Compiling takes longer than any of ours.
    const begin = `BEGIN ${readOnly ? 'READ ONLY' : 'READ WRITE'}; SET LOCAL ROLE tidemark_app; SET LOCAL jit = off;
      SET LOCAL tidemark.team = '${team}'; SET LOCAL tidemark.member = '${member}'`;
    const meaning = this.#meaning;
    const result = await this.#tried(begin, (client) =>
      work({
        ...workOn(client, { team, member }),
        ...(meaning ? { vectorOf: (question: string) => meaning.vectorOf(question) } : {}),
      }),
    );
    if (!readOnly && !unnoticed) meaning?.wake({ team, member });
    return result;
  }

  /** From now on texts get vectors in the background, and questions are answered by meaning too. Closed with the store. */
  useEmbedder(embedder: Embedder, failed: (error: unknown) => void): void {
    const mode = this.#vectors;
    this.#meaning = new VectorSearch(
      embedder,
      {
        adopt: (caller, model) =>
          this.transaction(caller, (work) => adoptModel(work, model, mode), { unnoticed: true }),
        waiting: (caller, limit) =>
          this.transaction(caller, (work) => waitingTexts(work, limit), { readOnly: true }),
        keep: (caller, model, made) =>
          this.transaction(caller, (work) => putVectors(work, { model, mode }, made), { unnoticed: true }),
      },
      failed,
    );
  }

  /** Outside of any team: only the functions of the schema that are made for that. */
  async outside<T>(work: (work: Pick<Work, 'rows' | 'row'>) => Promise<T>): Promise<T> {
    return this.#tried('BEGIN; SET LOCAL ROLE tidemark_app', (client) =>
      work(workOn(client, { team: '', member: '' })),
    );
  }

  async close(): Promise<void> {
    await this.#meaning?.end();
    await this.#pool.end();
  }

  async #schema(check: typeof migrate): Promise<VectorMode> {
    const client = await this.#pool.connect();
    try {
      return await check((text, values) => client.query(text, values && [...values]));
    } finally {
      client.release();
    }
  }

  async #tried<T>(begin: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
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
      // A connection that could not even roll back is not given to anybody else.
      client.release(broken);
    }
  }
}

function workOn(client: PoolClient, caller: Caller): Work {
  const asked = async (text: string, values: readonly unknown[]): Promise<QueryResult<Row>> =>
    client.query<Row>({ name: shortHash(text, STATEMENT_NAME), text, values: values.map(holdable) });
  return {
    ...caller,
    rows: async (text, values = []) => (await asked(text, values)).rows,
    row: async (text, values = []) => (await asked(text, values)).rows[0],
    run: async (text, values = []) => (await asked(text, values)).rowCount ?? 0,
  };
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';

/** Two did the same at once: tried again, the second sees what the first did. */
function isLostRace(error: unknown): boolean {
  if (error instanceof TidemarkError || !(error instanceof Error) || !('code' in error)) return false;
  return [SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION].includes(String(error.code));
}

function tooBusy(): TidemarkError {
  return new TidemarkError('database-unavailable', 'too many requests wait for the database', {
    hint: 'Give the server more connections (--connections), or the database more room.',
  });
}
