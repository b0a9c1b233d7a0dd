/** The team server as a Hono app: routes of version 1, health, metrics, and whatever else is mounted. Rules live in the routes. */
import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { routePath } from 'hono/route';
import { TidemarkError, VERSION } from '../../core/index.ts';
import type { Health } from '../../exchange/sync/index.ts';
import { checked, jsonOf } from '../../http/index.ts';
import { schemaState } from '../schema.ts';
import type { TeamStore } from '../store/index.ts';
import { isLoopback } from './address.ts';
import { readBody } from './body.ts';
import type { ServerEnv } from './env.ts';
import { failureOf } from './errors.ts';
import { Guard, type GuardOptions } from './guard.ts';
import { errorFacts, type Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { openApi } from './openapi.ts';
import type { Asked, Route } from './route.ts';
import type * as v from 'valibot';

export interface Mounting {
  readonly app: Hono<ServerEnv>;
  readonly store: TeamStore;
  readonly guard: Guard;
  readonly metrics: Metrics;
  readonly log: Log;
  /** As a browser sees the server: by itself, or by a proxy in front of it. */
  readonly scheme: 'http' | 'https';
  /** Whether nothing but this machine can reach it. */
  readonly isLoopback: boolean;
  /** Fires when the server begins to leave: what would stay open for long ends then. */
  readonly leaving: AbortSignal;
  readonly now: () => Date;
}

/** Adds routes of its own to the app; `guard.needs(scope)` goes before each of them. Returns what ends its work, if any. */
export type Mount = (mounting: Mounting) => void | (() => Promise<void>);

export interface AppOptions extends GuardOptions {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  readonly log: Log;
  readonly tls: boolean;
  readonly isLoopback: boolean;
  /** Once it leaves, it says so to whoever asks whether it is ready. */
  readonly leaving: AbortSignal;
}

export interface App {
  readonly app: Hono<ServerEnv>;
  /** Ends what the mounts do in the background. */
  end(): Promise<void>;
}

/** Enough for everything but changes, which say so themselves. */
const SMALL_BODY = 64 * 1024;
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
/** Half a year; browsers that were here once come by TLS only. */
const HSTS = 'max-age=15552000';

export function serverApp(options: AppOptions): App {
  const { store, routes, mounts, log, leaving, tls, behindProxy, now = () => new Date() } = options;
  const app = new Hono<ServerEnv>();
  const guard = new Guard(options);
  const metrics = measured(store);
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
    if (!QUIET.has(route))
      log('info', 'request', { ...requestFacts(c, route), ms: Math.round(seconds * 1000) });
  });

  app.get('/healthz', (c) => c.json(HEALTHY));
  app.get('/readyz', async (c) => {
    if (leaving.aborted) throw new TidemarkError('unavailable', 'the server is leaving');
    const { done, wanted } = await schemaState(store);
    // A newer one is fine: only what no server uses any more goes away (expand, then contract).
    if (done < wanted)
      throw new TidemarkError('unavailable', 'the schema of the database is not that of this server', {
        hint: 'Restart the server, or run: tidemark server doctor',
      });
    return c.json({ status: 'ready', vectors: store.vectors });
  });
  app.get('/metrics', async (c) => {
    const address = c.env.incoming.socket.remoteAddress ?? '';
    // Behind a proxy everybody seems to ask from this machine.
    const isOwn = !behindProxy && isLoopback(address);
    const text = () =>
      c.body(metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    if (isOwn) return text();
    await guard.admit(c, 'admin');
    return text();
  });
  app.get('/v1/openapi.json', (c) => c.json(description));
  for (const route of routes) register(app, guard, store, route);
  const scheme = tls || behindProxy ? 'https' : 'http';
  const isLocal = options.isLoopback && !behindProxy;
  const ends = mounts.map((mount) =>
    mount({ app, store, guard, metrics, log, scheme, isLoopback: isLocal, leaving, now }),
  );
  refuseOtherMethods(app, routes);

  app.notFound((c) => {
    const { status, body } = failureOf(NOTHING_HERE);
    return c.json(body, status);
  });
  app.onError((error, c) => {
    const { status, body, retryAfter } = failureOf(error);
    // Of a body that is too large the rest is not read: nothing can follow it on this connection.
    if (status === 413) c.header('connection', 'close');
    if (status >= 500) log('error', 'failed', { request: c.var.requestId, status, ...errorFacts(error) });
    return c.json(body, status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
  });
  return {
    app,
    end: async () => {
      await Promise.all(ends.map((end) => end?.()));
    },
  };
}

function register(app: Hono<ServerEnv>, guard: Guard, store: TeamStore, route: Route): void {
  app.on(route.method, route.path, guard.needs(route.scope), async (c) => {
    const asked = await askedOf(c, route, store);
    return c.json((await route.run(asked)) as object, route.status ?? 200);
  });
}

async function askedOf(
  c: Context<ServerEnv>,
  route: Route,
  store: TeamStore,
): Promise<Asked<never, never, never>> {
  const { holder } = c.var;
  if (!holder) throw new Error('a route without its guard');
  const who = { team: holder.team.id, member: holder.member.id };
  const asked: Asked = {
    holder,
    params: route.params && checked(route.params, c.req.param()),
    query: route.query && checked(route.query, c.req.query()),
    body: route.body && checked(route.body, await jsonIn(c, route.largest)),
    store,
    change: (work) => store.transaction(who, work),
    read: (work) => store.transaction(who, work, { readOnly: true }),
  };
  return asked as Asked<never, never, never>; // read with the schemas of this very route
}

async function jsonIn(c: Context<ServerEnv>, largest = SMALL_BODY): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new TidemarkError('content-type', 'the body must be JSON');
  return jsonOf(await readBody(c, largest));
}

/** 405 instead of 404 where another method would do. */
function refuseOtherMethods(app: Hono<ServerEnv>, routes: readonly Route[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    app.all(path, (c) => {
      c.header('allow', methods.join(', '));
      throw new TidemarkError('method', `this address takes ${methods.join(', ')}`);
    });
  }
}

function measured(store: TeamStore): Metrics {
  const metrics = new Metrics();
  metrics.gauge('tidemark_pool_connections', 'Connections to the database.', () => store.load.connections);
  metrics.gauge('tidemark_pool_idle', 'Connections that nobody uses.', () => store.load.idle);
  metrics.gauge('tidemark_pool_waiting', 'Requests that wait for a connection.', () => store.load.waiting);
  metrics.gauge('process_resident_memory_bytes', 'Memory of the server.', () => process.memoryUsage.rss());
  return metrics;
}

/** Clients know a team server by it before they send a key. */
const HEALTHY: v.InferOutput<typeof Health> = { status: 'ok', name: 'tidemark', version: VERSION };

/** Asked every few seconds by machines. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);
const NOTHING_HERE = new TidemarkError('not-found', 'there is nothing at this address', {
  hint: 'The addresses are in /v1/openapi.json.',
});

function labelOf(c: Context): string {
  const path = routePath(c, -1);
  return path === '*' || path === '/*' ? 'none' : path;
}

/** Ids of who asked, never what: neither query nor body, and of the address only its pattern. */
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
