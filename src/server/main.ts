/** Entry of `server.cjs`, which only `tidemark server` loads: runs the server and the operator's commands. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { given, placesIn, tidemarkHome, TidemarkError, VERSION } from '../core/index.ts';
import { readAssets } from '../http/index.ts';
import { chooseEmbedder, type EmbedderChoice } from '../models/index.ts';
import { examine, keepUp, KEPT_DAYS, Operator, type Finding, type Initialised } from './admin/index.ts';
import { everMem } from './evermem/index.ts';
import { addressOf, checkEncryption, errorFacts, jsonLog, serve, type Log } from './http/index.ts';
import { teamHub } from './hub/index.ts';
import { ROUTES } from './routes/index.ts';
import { inspect, TeamStore } from './store/index.ts';
import {
  isInUse,
  missingPackages,
  openEmbedded,
  remoteOperator,
  serveOperator,
  type Embedded,
  type OperatorCalls,
  type Trial,
} from './trial/index.ts';

export { missingPackages };

/** The address of a PostgreSQL database, or a trial with its own. */
export type Database = string | Trial;

export interface RunOptions {
  readonly database: Database;
  /** The same database without a pooler in between: for migrations and notices. */
  readonly directDatabase?: string;
  /** A replica for searches and lists. */
  readonly readDatabase?: string;
  readonly listen: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly behindProxy: boolean;
  readonly insecure: boolean;
  /** Maximum number of database connections. */
  readonly connections?: number;
  /** Requests per second of one key. */
  readonly rate?: number;
  /** Days that answered requests and processed messages are kept. */
  readonly keptDays?: number;
  /** The first team of a trial, created on its first start. */
  readonly first?: { readonly team: string; readonly owner: string };
  /** Called once, when the server answers. `started` is known for a trial only. */
  readonly onReady?: (url: string, started: Initialised | undefined) => void;
  /** The error that ends the server is logged, and this is called before it is thrown. */
  readonly onFailure?: () => void;
  /** Leaves out requests and other normal events. */
  readonly quiet?: boolean;
}

/** A burst may hold this many seconds of the rate. */
const BURST_SECONDS = 4;

/**
 * A transaction of a trial is never given up: its connection is the only one, and another would continue the
 * transaction. Nothing freezes that is in this process.
 */
const TRIAL_LIMITS = { transactionMs: 10 * 60_000, checkMs: 10 * 60_000 };

/** Resolves after a signal, when all requests under way are answered. */
export async function runServer(options: RunOptions): Promise<void> {
  const { database, tls, behindProxy, insecure } = options;
  const all = jsonLog((line) => void process.stderr.write(line));
  const log: Log = (level, ...said) => (options.quiet && level === 'info' ? undefined : all(level, ...said));
  const address = addressOf(options.listen);
  checkEncryption(address, { tls: tls !== undefined, behindProxy, insecure });
  for (const one of [database, options.directDatabase, options.readDatabase])
    if (typeof one === 'string') checkAddress(one);
  log('info', 'starting', { version: VERSION, pid: process.pid, trial: typeof database !== 'string' });
  try {
    await runOn(options, log);
  } catch (error) {
    if (error instanceof TidemarkError && options.onFailure) {
      log('error', 'failed', { ...errorFacts(error), next: error.hint });
      options.onFailure();
    }
    throw error;
  }
}

async function runOn(options: RunOptions, log: Log): Promise<void> {
  const { database, connections, directDatabase: direct, readDatabase: replica } = options;
  if (typeof database === 'string') {
    const store = await TeamStore.open({ database, ...given({ connections, direct, replica }) });
    await serveStore(store, options, log);
    return;
  }
  const embedded = await openEmbedded(database);
  try {
    const store = await openTrial(embedded);
    const operator = new Operator(store);
    const started = await operator.init(options.first ?? FIRST);
    const remote = await serveOperator(operator, database);
    await serveStore(store, options, log, started).finally(() => remote.close());
  } finally {
    await embedded.close();
  }
}

const FIRST = { team: 'team', owner: 'owner' };

function openTrial({ database }: Embedded): Promise<TeamStore> {
  return TeamStore.open({ database, limits: TRIAL_LIMITS });
}

/** Serves until a signal, then closes the store. */
async function serveStore(
  store: TeamStore,
  options: RunOptions,
  log: Log,
  started?: Initialised,
): Promise<void> {
  const { rate, tls, behindProxy } = options;
  try {
    useModel(store, log);
    const serving = await serve({
      store,
      routes: ROUTES,
      mounts: [
        everMem(),
        teamHub(readAssets(join(__dirname, 'hub'), '/hub')),
        keepUp({ keptDays: options.keptDays ?? KEPT_DAYS }),
      ],
      log,
      address: addressOf(options.listen),
      behindProxy,
      isTrial: started !== undefined,
      ...(tls ? { tls } : {}),
      ...(rate === undefined ? {} : { rate: { perSecond: rate, burst: rate * BURST_SECONDS } }),
    });
    log('info', 'ready', { url: serving.url, vectors: store.vectors });
    options.onReady?.(serving.url, started);
    process.on('SIGHUP', () => {
      try {
        serving.renewTls();
      } catch (error) {
        log('error', 'certificate not reloaded', errorFacts(error));
      }
    });
    await signalled();
    await serving.close();
  } finally {
    await store.close();
  }
  log('info', 'stopped');
}

/** Enables vector search if this machine has an embedding model. */
function useModel(store: TeamStore, log: Log): void {
  const choice = localModel();
  if (choice.kind === 'none') return log('info', 'no vector search', { why: choice.why, next: choice.next });
  store.useEmbedder(choice.embedder, (error) => log('error', 'vectors not computed', errorFacts(error)));
}

function localModel(): EmbedderChoice {
  const { env } = process;
  const places = placesIn(tidemarkHome(env, homedir()));
  return chooseEmbedder(loadConfig({ places, env }).values, {
    places,
    env,
    program: join(__dirname, 'embedder.cjs'),
    runtime: join(__dirname, 'embed'),
  });
}

/** `asItIs`: does not migrate the schema. Only `server init` and a server start do. */
export async function withOperator<T>(
  database: Database,
  work: (operator: OperatorCalls) => Promise<T>,
  { asItIs = false }: { readonly asItIs?: boolean } = {},
): Promise<T> {
  if (typeof database !== 'string') return withTrial(database, work);
  checkAddress(database);
  const before = await inspect(database, async ({ done }) => done);
  const store = await TeamStore.open({ database, connections: OPERATOR_CONNECTIONS, asItIs });
  try {
    return await work(
      new Operator(store, { before, inspect: (ask) => inspect(database, ({ rows }) => ask(rows)) }),
    );
  } finally {
    await store.close();
  }
}

/** While the trial runs, its server does the work. */
async function withTrial<T>(trial: Trial, work: (operator: OperatorCalls) => Promise<T>): Promise<T> {
  if (isInUse(trial)) return work(remoteOperator(trial));
  const embedded = await openEmbedded(trial);
  try {
    const before = await inspect(embedded.database, async ({ done }) => done);
    const store = await openTrial(embedded);
    return await work(new Operator(store, { before })).finally(() => store.close());
  } finally {
    await embedded.close();
  }
}

const OPERATOR_CONNECTIONS = 2;

/** Examines the database and the model for `server doctor`. Read-only. */
export async function examineDatabase(database: Database): Promise<readonly Finding[]> {
  if (typeof database === 'string') {
    checkAddress(database);
    return inspect(database, (at) => examine(at, localModel()));
  }
  const embedded = await openEmbedded(database);
  try {
    return await inspect(embedded.database, (at) => examine(at, localModel(), { isTrial: true }));
  } finally {
    await embedded.close();
  }
}

function checkAddress(database: string): void {
  if (/^postgres(?:ql)?:\/\//.test(database)) return;
  throw new TidemarkError('usage', 'this is not the address of a PostgreSQL database', {
    hint: 'Use the form postgres://user:password@host:5432/tidemark',
  });
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
