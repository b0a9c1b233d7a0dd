/** Entry of `server.cjs`, which nothing loads but `tidemark server`: the server as it runs, and the operator's hands. */
import { TidemarkError } from '../model/index.ts';
import { Operator } from './admin/index.ts';
import { everMem } from './evermem/index.ts';
import { addressOf, checkCover, errorFacts, jsonLog, serve, type Mount } from './http/index.ts';
import { ROUTES } from './routes/index.ts';
import { TeamStore } from './store/index.ts';

export interface RunOptions {
  readonly database: string;
  readonly listen: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly behindProxy: boolean;
  readonly insecure: boolean;
  /** Connections to the database at most. */
  readonly connections?: number;
  /** Requests a second of one key. */
  readonly rate?: number;
}

/** What else the server answers to. */
const MOUNTS: readonly Mount[] = [everMem];
/** So many seconds of its rate may come at once. */
const BURST_SECONDS = 4;

/** Resolves when a signal ended it, and everything begun is finished. */
export async function runServer(options: RunOptions): Promise<void> {
  const { rate, connections, tls, behindProxy, insecure } = options;
  const log = jsonLog((line) => void process.stderr.write(line));
  const address = addressOf(options.listen);
  checkCover(address, { tls: tls !== undefined, behindProxy, insecure });
  const store = await openStore(options.database, connections);
  try {
    const serving = await serve({
      store,
      routes: ROUTES,
      mounts: MOUNTS,
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
        log('error', 'certificate not read', errorFacts(error));
      }
    });
    await signalled();
    await serving.close();
  } finally {
    await store.close();
  }
  log('info', 'left');
}

export async function withOperator<T>(
  database: string,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  const store = await openStore(database, OPERATOR_CONNECTIONS);
  try {
    return await work(new Operator(store));
  } finally {
    await store.close();
  }
}

const OPERATOR_CONNECTIONS = 2;

async function openStore(database: string, connections: number | undefined): Promise<TeamStore> {
  if (!/^postgres(?:ql)?:\/\//.test(database)) {
    throw new TidemarkError('usage', 'this is not the address of a PostgreSQL database', {
      hint: 'It looks like this: postgres://user:password@host:5432/tidemark',
    });
  }
  return TeamStore.open({ database, ...(connections === undefined ? {} : { connections }) });
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
