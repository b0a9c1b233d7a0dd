/** The team server as a Hono app: the API routes, health, metrics and the mounts (hub, EverMem). */
import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { routePath } from 'hono/route';
import { given, TidemarkError, VERSION } from '../../core/index.ts';
import type { Health } from '../../exchange/sync/index.ts';
import { checked, jsonOf } from '../../http/index.ts';
import { Waiting, type WaitingOptions } from '../live/index.ts';
import { auditLog, newestMigration, type TeamStore } from '../store/index.ts';
import { isLoopback } from './address.ts';
import { callerOf, holderOf, readBody, type ServerEnv } from './body.ts';
import { failureOf } from './errors.ts';
import { Guard, type GuardOptions } from './guard.ts';
import { errorFacts, type Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import type { RouteInput, Route } from './route.ts';
import type * as v from 'valibot';

interface Mounting {
  readonly app: Hono<ServerEnv>;
  readonly store: TeamStore;
  readonly guard: Guard;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The scheme a browser uses, which a proxy in front may change. */
  readonly scheme: 'http' | 'https';
  /** Whether only this machine can reach the server. */
  readonly isLoopback: boolean;
  /** Fires when the server begins to shut down; long-lived responses end then. */
  readonly leaving: AbortSignal;
  /** The server is a trial with an embedded database. */
  readonly isTrial: boolean;
  readonly now: () => Date;
}

/** Adds routes to the app, each behind `guard.needs(scope)`. Returns a function that stops its background work, if any. */
export type Mount = (mounting: Mounting) => void | (() => Promise<void>);

export interface AppOptions extends GuardOptions {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  readonly log: Log;
  readonly tls: boolean;
  readonly isLoopback: boolean;
  readonly isTrial?: boolean;
  /** Of waiting machines; smaller in tests. */
  readonly waits?: WaitingOptions['limits'];
  /** Fires when the server begins to shut down; `/readyz` then answers 503. */
  readonly leaving: AbortSignal;
}

/** Enough for every request except pushes, which set their own limit. */
const SMALL_BODY = 64 * 1024;
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
/** Half a year. */
const HSTS = 'max-age=15552000';

/** `end`: stops the background work of the mounts. */
export function serverApp(options: AppOptions): { app: Hono<ServerEnv>; end: () => Promise<void> } {
  const {
    store,
    routes,
    mounts,
    log,
    leaving,
    tls,
    behindProxy,
    isTrial = false,
    now = () => new Date(),
  } = options;
  const app = new Hono<ServerEnv>();
  const guard = new Guard(options);
  const waiting = new Waiting({
    store,
    leaving,
    check: async (key) => guard.checkAgain(key),
    failed: (error) => log('error', 'waiting machines', errorFacts(error)),
    ...given({ limits: options.waits }),
  });
  const metrics = measured(store, waiting);
  const failures = metrics.counter(
    'tidemark_errors_total',
    'Requests that were refused or failed, by the code of the error.',
  );
  const description = openApi(routes, VERSION);

  app.use(async (c, next) => {
    const began = performance.now();
    c.set('requestId', randomUUID());
    await next();
    for (const [name, value] of Object.entries(HEADERS))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    c.res.headers.set('x-request-id', c.var.requestId);
    if (tls) c.res.headers.set('strict-transport-security', HSTS);
    if (leaving.aborted) c.res.headers.set('connection', 'close');
    const route = labelOf(c);
    const seconds = (performance.now() - began) / 1000;
    metrics.observe(c.req.method, route, c.res.status, seconds);
    if (!QUIET.has(route) && !(route === WAITS && c.res.status === 200))
      log('info', 'request', { ...requestFacts(c, route), ms: Math.round(seconds * 1000) });
  });

  app.get('/healthz', (c) => c.json(isTrial ? { ...HEALTHY, trial: true } : HEALTHY));
  app.get('/readyz', async (c) => {
    if (leaving.aborted) throw new TidemarkError('unavailable', 'the server is shutting down');
    // A newer schema is fine: migrations remove only what no supported server uses.
    if ((await store.migration()) < newestMigration())
      throw new TidemarkError('unavailable', 'the schema of the database is older than this server', {
        hint: 'Restart the server, or run: tidemark server doctor',
      });
    return c.json({ status: 'ready', vectors: store.vectors });
  });
  app.get('/metrics', async (c) => {
    const address = c.env.incoming.socket.remoteAddress ?? '';
    // Behind a proxy every request comes from this machine.
    if (behindProxy || !isLoopback(address)) await guard.admit(c, 'admin');
    return c.body(await metrics.scrape(), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  });
  app.get('/v1/openapi.json', (c) => c.json(description));
  for (const route of routes)
    app.on(route.method, route.path, guard.needs(route.scope), async (c) =>
      c.json((await route.run(await inputOf(c, route, store, waiting))) as object, route.status ?? 200),
    );
  const scheme = tls || behindProxy ? 'https' : 'http';
  const isLocal = options.isLoopback && !behindProxy;
  const ends = mounts.map((mount) =>
    mount({ app, store, guard, metrics, log, scheme, isLoopback: isLocal, leaving, isTrial, now }),
  );
  refuseOtherMethods(app, routes);

  app.notFound((c) => {
    const { status, body } = failureOf(NOTHING_HERE);
    return c.json(body, status);
  });
  app.onError((error, c) => {
    const { status, body, retryAfter } = failureOf(error);
    failures.add(1, { code: body.error.code });
    // The rest of a body that is too large is not read, so the connection cannot be used again.
    if (status === 413) c.header('connection', 'close');
    if (status >= 500) log('error', 'failed', { request: c.var.requestId, status, ...errorFacts(error) });
    return c.json(body, status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
  });
  return {
    app,
    end: async () => {
      waiting.close();
      guard.close();
      await Promise.all(ends.map((end) => end?.()));
    },
  };
}

async function inputOf(
  c: Context<ServerEnv>,
  route: Route,
  store: TeamStore,
  waiting: Waiting,
): Promise<RouteInput<never, never, never>> {
  const [holder, caller] = [holderOf(c), callerOf(c)];
  const input: RouteInput = {
    holder,
    params: route.params && checked(route.params, c.req.param()),
    query: route.query && checked(route.query, c.req.query()),
    body: route.body && checked(route.body, await jsonIn(c, route.largest)),
    store,
    change: (run) => store.transaction(caller, (work) => run(work, auditLog(work, holder.key.id))),
    read: (work) => store.transaction(caller, work, { readOnly: true }),
    readAnywhere: (work) => store.read(caller, holder.position, work),
    waiting,
    onHangUp: (stop) => {
      if (c.env.outgoing.destroyed) stop();
      else c.env.outgoing.once('close', stop);
    },
  };
  return input as RouteInput<never, never, never>; // parsed with the schemas of this route
}

async function jsonIn(c: Context<ServerEnv>, largest = SMALL_BODY): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new TidemarkError('content-type', 'the body must be JSON');
  return jsonOf(await readBody(c, largest));
}

/** Answers 405 instead of 404 for known paths with another method. */
function refuseOtherMethods(app: Hono<ServerEnv>, routes: readonly Route[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    app.all(path, (c) => {
      c.header('allow', methods.join(', '));
      throw new TidemarkError('method', `this path accepts ${methods.join(', ')}`);
    });
  }
}

function measured(store: TeamStore, waiting: Waiting): Metrics {
  const metrics = new Metrics();
  const { replica, notices } = store;
  metrics.gauge('tidemark_waiting_machines', 'Machines that wait for changes.', () => waiting.count);
  metrics.gauge('tidemark_live', '1 if the database sends notices of changes, 0 if the server polls.', () =>
    Number(notices.isLive),
  );
  metrics.gauge(
    'tidemark_query_vectors',
    'Searches whose query had its vector in time.',
    () => store.queryVectors.inTime,
  );
  metrics.gauge(
    'tidemark_query_vectors_late',
    'Searches by words alone, because the vector of the query was late.',
    () => store.queryVectors.late,
  );
  if (replica) {
    metrics.gauge('tidemark_replica_reads', 'Reads on the replica.', () => replica.counts.reads);
    metrics.gauge(
      'tidemark_replica_skipped',
      'Reads on the primary because the replica was late or down.',
      () => replica.counts.skipped,
    );
  }
  metrics.gauge('tidemark_pool_connections', 'Connections to the database.', () => store.load.connections);
  metrics.gauge('tidemark_pool_idle', 'Idle connections.', () => store.load.idle);
  metrics.gauge('tidemark_pool_waiting', 'Requests that wait for a connection.', () => store.load.waiting);
  metrics.gauge('process_resident_memory_bytes', 'Memory of the server.', () => process.memoryUsage.rss());
  metrics.gauge('process_cpu_seconds_total', 'CPU time of the server.', cpuSeconds, 'counter');
  metrics.gauge('tidemark_info', 'The version of the server and its vector search.', () => [
    { labels: { version: VERSION, vectors: store.vectors }, value: 1 },
  ]);
  return metrics;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Clients recognise a team server by it before they send a key. */
const HEALTHY: v.InferOutput<typeof Health> = { status: 'ok', name: 'tidemark', version: VERSION };

/** Logged only if it fails, because each machine asks every minute. */
const WAITS = '/v1/changes/wait';
/** Not logged, because probes request them every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);
const NOTHING_HERE = new TidemarkError('not-found', 'there is nothing at this path', {
  hint: 'The paths are in /v1/openapi.json.',
});

function labelOf(c: Context): string {
  const path = routePath(c, -1);
  return path === '*' || path === '/*' ? 'none' : path;
}

/** Returns the log fields of a request: the caller's ids and the route pattern, never the query, the body or the path. */
function requestFacts(c: Context<ServerEnv>, route: string) {
  const { holder, requestId } = c.var;
  return {
    request: requestId,
    method: c.req.method,
    route,
    status: c.res.status,
    ...(holder ? { team: holder.team.id, member: holder.member.id, key: holder.key.id } : {}),
  };
}
