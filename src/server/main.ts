/** Entry of `server.cjs`, which only `tidemark server` loads: runs the server and the operator's commands. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { given, placesIn, tidemarkHome, TidemarkError } from '../core/index.ts';
import { readAssets } from '../http/index.ts';
import { chooseEmbedder, type EmbedderChoice } from '../models/index.ts';
import { examine, Operator, type Finding } from './admin/index.ts';
import { everMem } from './evermem/index.ts';
import { addressOf, checkEncryption, errorFacts, jsonLog, serve, type Log } from './http/index.ts';
import { teamHub } from './hub/index.ts';
import { ROUTES } from './routes/index.ts';
import { inspect, TeamStore } from './store/index.ts';

export interface RunOptions {
  readonly database: string;
  readonly listen: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly behindProxy: boolean;
  readonly insecure: boolean;
  /** Maximum number of database connections. */
  readonly connections?: number;
  /** Requests per second of one key. */
  readonly rate?: number;
}

/** A burst may hold this many seconds of the rate. */
const BURST_SECONDS = 4;

/** Resolves after a signal, when all requests under way are answered. */
export async function runServer(options: RunOptions): Promise<void> {
  const { rate, connections, tls, behindProxy, insecure } = options;
  const log = jsonLog((line) => void process.stderr.write(line));
  const address = addressOf(options.listen);
  checkEncryption(address, { tls: tls !== undefined, behindProxy, insecure });
  checkAddress(options.database);
  const store = await TeamStore.open({
    database: options.database,
    ...given({ connections }),
  });
  try {
    useModel(store, log);
    const serving = await serve({
      store,
      routes: ROUTES,
      mounts: [everMem(), teamHub(readAssets(join(__dirname, 'hub'), '/hub'))],
      log,
      address,
      behindProxy,
      ...(tls ? { tls } : {}),
      ...(rate === undefined ? {} : { rate: { perSecond: rate, burst: rate * BURST_SECONDS } }),
    });
    log('info', 'ready', { url: serving.url, vectors: store.vectors });
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
  database: string,
  work: (operator: Operator) => Promise<T>,
  { asItIs = false }: { readonly asItIs?: boolean } = {},
): Promise<T> {
  checkAddress(database);
  const before = await inspect(database, async ({ done }) => done);
  const store = await TeamStore.open({ database, connections: OPERATOR_CONNECTIONS, asItIs });
  try {
    return await work(new Operator(store, before));
  } finally {
    await store.close();
  }
}

const OPERATOR_CONNECTIONS = 2;

/** Examines the database and the model for `server doctor`. Read-only. */
export function examineDatabase(database: string): Promise<readonly Finding[]> {
  checkAddress(database);
  return inspect(database, (at) => examine(at, localModel()));
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
