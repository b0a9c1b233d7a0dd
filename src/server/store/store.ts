/**
 * The team's database: transactions that are bound to one member of one team before the first statement. The operations
 * are functions over a transaction, one module each.
 */
import { TidemarkError } from '../../core/index.ts';
import type { QueryVector } from '../../database/index.ts';
import type { Embedder } from '../../models/index.ts';
import { Connections, type Query, type Transaction } from './connections.ts';
import { isPooler, LIMITED, withClient, type Address } from './connect.ts';
import { checkedUuid, databaseError } from './errors.ts';
import { Notices, type Notice, type NoticeSource } from './cluster/notices.ts';
import { Replica } from './cluster/replica.ts';
import { migrate, requireSchema } from './schema/migrate.ts';
import { rolesInUse, type Ask } from './schema/roles.ts';
import { VectorIndexes } from './search/vector-indexes.ts';
import type { VectorMode } from './search/pgvector.ts';
import { VectorSearch } from './search/vector-search.ts';
import { number } from './values.ts';
import type { Caller, Row, Work } from './work.ts';

interface StoreOptions {
  readonly database: Address;
  /** The same database without a pooler in between: for migrations and notices. */
  readonly direct?: Address;
  /** A replica for reads that may run there. */
  readonly replica?: Address;
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

/** A database with two cores serves about this many at once; more only wait inside it. */
const CONNECTIONS = 20;
/** More than a statement may take, and less than a client waits (30 s), so that the client gets an answer. */
const LIMITS: Limits = { transactionMs: 22_000, checkMs: 3000 };
/** Attempts of a transaction that meets a deadlock or loses a race. */
const TRIES = 4;
/**
 * All of our statements look rows up in indexes, one by one. With outdated statistics, or a plan for all parameters,
 * PostgreSQL would sometimes read a table as a whole instead. JIT compilation takes longer than any of them.
 */
const PLANNING = ['jit', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((setting) => `SET LOCAL ${setting} = off`)
  .join('; ');

export class TeamStore {
  readonly #connections: Connections;
  readonly #limits: Limits;
  /** Committed changes of all servers of this database, once it is started. */
  readonly notices: Notices;
  /** Whether a pooler is between this server and the database. */
  readonly isPooled: boolean;
  #replica: Replica | undefined;
  #vectors: VectorMode = 'none';
  #app = '';
  #vectorSearch: VectorSearch | undefined;
  /** Absent without a direct connection to build an index with. */
  readonly #indexes: VectorIndexes | undefined;

  private constructor(
    { database, connections, limits }: StoreOptions,
    isPooled: boolean,
    direct: Address | undefined,
  ) {
    this.#limits = { ...LIMITS, ...limits };
    this.isPooled = isPooled;
    this.notices = new Notices(sourceOf(direct));
    this.#indexes = direct !== undefined && hasSeveral(direct) ? new VectorIndexes(direct) : undefined;
    this.#connections = new Connections({
      database,
      most: connections ?? CONNECTIONS,
      checkMs: this.#limits.checkMs,
      isPooled,
    });
  }

  /** Connects and migrates the schema, unless `asItIs` is set or there is only a pooler. */
  static async open(options: StoreOptions): Promise<TeamStore> {
    const { database, direct, replica } = options;
    try {
      const isPooled = await isPooler(database);
      if (direct !== undefined && (await isPooler(direct))) throw notDirect();
      const address = direct ?? (isPooled ? undefined : database);
      const store = new TeamStore(options, isPooled, address);
      try {
        await store.#prepareSchema(address ?? database, options.asItIs === true || address === undefined);
        if (replica !== undefined) await store.#openReplica(replica, options.connections);
      } catch (error) {
        await store.close();
        throw address === undefined ? orNeedsDirect(error) : error;
      }
      return store;
    } catch (error) {
      throw databaseError(error);
    }
  }

  get vectors(): VectorMode {
    return this.#vectors;
  }

  /** Present if reads may run on a replica. */
  get replica(): Replica | undefined {
    return this.#replica;
  }

  /** For metrics; zeros without a model. */
  get queryVectors(): VectorSearch['counts'] {
    return this.#vectorSearch?.counts ?? { inTime: 0, late: 0 };
  }

  /** Connections and waiting transactions, for metrics. */
  get load(): Connections['load'] {
    return this.#connections.load;
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
    const as = checkedCaller(caller);
    const search = this.#vectorSearch;
    const { result, notice } = await this.#retried(this.#beginAs(as, readOnly), () => {
      const changed = new Set<string>();
      const noticed = (): Notice | undefined => (changed.size > 0 ? noticeOf(as.team, changed) : undefined);
      return {
        work: async (query) => {
          const result = await work(this.#workOn(query, as, (project = '') => void changed.add(project)));
          return { result, notice: noticed() };
        },
        commit: () => this.notices.commitWith(noticed()),
      };
    });
    if (!readOnly && !unnoticed) search?.wake(as);
    if (notice) this.notices.committed(notice);
    return result;
  }

  /**
   * Reads as the caller: on the replica if there is one, and if it has everything up to `position`, which the key of the
   * request was checked at; otherwise on the primary.
   */
  async read<T>(caller: Caller, position: string | undefined, work: (work: Work) => Promise<T>): Promise<T> {
    const as = checkedCaller(caller);
    const there =
      position === undefined
        ? undefined
        : await this.#replica
            ?.read(this.#beginAs(as, true), position, (query) => work(this.#workOn(query, as)))
            .catch((error: unknown) => {
              throw databaseError(error);
            });
    return there ? there.found : this.transaction(caller, work, { readOnly: true });
  }

  /** Enables vector search: computes vectors in the background, until the store is closed. */
  useEmbedder(embedder: Embedder, failed: (error: unknown) => void): void {
    this.#indexes?.onFailure(failed);
    this.#vectorSearch = new VectorSearch(embedder, this, failed);
  }

  /** Returns the vector of a query, if there is a model and it answers in time. Call it before a transaction. */
  async vectorOf(query: string): Promise<QueryVector | undefined> {
    return this.#vectorSearch?.vectorOf(query);
  }

  /** Runs statements outside of any team, where only the lookup functions of the schema return rows. */
  async outside<T>(
    work: (work: Pick<Work, 'rows' | 'row'>) => Promise<T>,
    withinMs = this.#limits.transactionMs,
  ): Promise<T> {
    const nobody = { team: '', member: '' };
    return this.#retried(
      `BEGIN; SET LOCAL ROLE ${this.#app}; ${PLANNING}; ${LIMITED}`,
      () => ({ work: (query) => work(this.#workOn(query, nobody)), commit: () => 'COMMIT' }),
      withinMs,
    );
  }

  /** Calls a lookup function of the schema, like `outside`, in one round trip. */
  async lookUp(text: string, values: readonly unknown[]): Promise<Row | undefined> {
    return this.#retried(`BEGIN; SET LOCAL ROLE ${this.#app}; ${PLANNING}; ${LIMITED}`, () => ({
      work: async (query) => (await query(text, values)).rows[0],
      commit: () => 'COMMIT',
      isSingle: true,
    }));
  }

  async close(): Promise<void> {
    this.#indexes?.close();
    await this.#vectorSearch?.end();
    await Promise.all([this.notices.close(), this.#replica?.close(), this.#connections.close()]);
  }

  /** One round trip; the quoted values are uuids. JIT compilation takes longer than any of our statements. */
  #beginAs({ team, member }: Caller, readOnly: boolean): string {
    // A BEGIN that fails would leave no transaction, and the statement behind it would run on its own.
    return `BEGIN; SET TRANSACTION ${readOnly ? 'READ ONLY' : 'READ WRITE'}; SET LOCAL ROLE ${this.#app}; ${PLANNING}; ${LIMITED};
      SET LOCAL tidemark.team = '${team}'; SET LOCAL tidemark.member = '${member}'`;
  }

  #workOn(query: Query, caller: Caller, changed: Work['changed'] = () => {}): Work {
    const indexes = this.#indexes;
    return {
      ...caller,
      changed,
      rows: async (text, values = []) => (await query(text, values)).rows,
      row: async (text, values = []) => (await query(text, values)).rows[0],
      run: async (text, values = []) => (await query(text, values)).rowCount ?? 0,
      ...(indexes ? { indexVectors: () => indexes.want(caller.team) } : {}),
    };
  }

  async #openReplica(database: Address, connections = CONNECTIONS): Promise<void> {
    this.#replica = await Replica.open({ database, connections, ...this.#limits });
  }

  /** Without limits of time: a migration of a large database takes minutes. */
  async #prepareSchema(address: Address, asItIs: boolean): Promise<void> {
    await withClient(address, {}, async (client) => {
      const ask: Ask = (text, values) => client.query(text, values && [...values]);
      this.#vectors = await (asItIs ? requireSchema : migrate)(ask);
      this.#app = (await rolesInUse(ask)).app;
    });
  }

  async #retried<T>(
    begin: string,
    attempt: () => Pick<Transaction<T>, 'work' | 'commit' | 'isSingle'>,
    withinMs = this.#limits.transactionMs,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#connections.run({ begin, withinMs, ...attempt() });
      } catch (error) {
        if (tries < TRIES && isLostRace(error)) continue;
        throw databaseError(error);
      }
    }
  }
}

/** An embedded database has one connection, so none to build an index with. */
function hasSeveral(database: Address): boolean {
  return typeof database === 'string' || database.max !== 1;
}

/** The ids are quoted in statements, so they are checked to be uuids. */
function checkedCaller({ team, member }: Caller): Caller {
  return { team: checkedUuid(team), member: checkedUuid(member) };
}

/** An empty project stands for the access of the team. */
function noticeOf(team: string, changed: ReadonlySet<string>): Notice {
  return { team, projects: changed.has('') ? [] : [...changed].map(checkedUuid) };
}

/** A trial has its database for itself; `direct` is undefined where only a pooler can be reached. */
function sourceOf(direct: Address | undefined): NoticeSource {
  if (direct === undefined) return { kind: 'none' };
  return typeof direct === 'string' ? { kind: 'database', address: direct } : { kind: 'process' };
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNIQUE_VIOLATION = '23505';

/** Whether two transactions collided: the second attempt sees what the other one did. */
function isLostRace(error: unknown): boolean {
  if (error instanceof TidemarkError || !(error instanceof Error) || !('code' in error)) return false;
  return [SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION].includes(String(error.code));
}

const DIRECT = 'Give the address of PostgreSQL itself too: --direct-database (or DIRECT_DATABASE_URL).';

function notDirect(): TidemarkError {
  return new TidemarkError('usage', 'a pooler answers at the address of --direct-database', { hint: DIRECT });
}

/** A pooler gives each transaction another connection, but a migration needs its own until the end. */
function orNeedsDirect(error: unknown): unknown {
  if (!(error instanceof TidemarkError) || error.code !== 'database-older') return error;
  const message = `${error.message}, and a pooler is no way to update it`;
  return new TidemarkError('database-older', message, { hint: DIRECT });
}
