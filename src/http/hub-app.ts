/**
 * A hub, whoever serves it: way in, way out, API, page. Everything but the way in needs a cookie, every question of the
 * page its key as well. What is asked and answered, and who may come in, is the caller's.
 */
import { Hono, type Context, type Env } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { answer, type ErrorAnswer } from './answer.ts';
import type { Asset, Assets } from './assets.ts';
import { refusalOf, type RequestHead, type Standpoint } from './origin-check.ts';
import { PAGE_HEADERS } from './page-headers.ts';

type Soon<T> = T | Promise<T>;

/** Who was let in. Cookies and keys are secrets; nothing here is ever logged. */
export interface Visits<E extends Env> {
  /** A link's key → a cookie; undefined if it was used, is too old or was never given. */
  enter(key: string, c: Context<E>): Soon<string | undefined>;
  isVisitor(cookie: string): Soon<boolean>;
  /** The page's key, once for each visit. */
  claimPage(cookie: string): Soon<string | undefined>;
  isPage(cookie: string, key: string, c: Context<E>): Soon<boolean>;
  leave(cookie: string): Soon<void>;
}

export interface HubAppParts<E extends Env> {
  /** Where it stands on its server: nothing, or `/hub`. */
  readonly base: string;
  readonly assets: Assets;
  /** The page for those outside. */
  readonly outside: string;
  /** Files of that page; they show nothing of anyone. */
  readonly forAnyone: ReadonlySet<string>;
  readonly standpoint: (c: Context<E>) => Standpoint;
  readonly cookieName: (c: Context<E>) => string;
  readonly visits: Visits<E>;
  readonly api: Hono<E>;
  /** Further ways in, before any cookie is asked for. */
  readonly doors?: (app: Hono<E>, letIn: (c: Context<E>, cookie: string) => void) => void;
  /** A stream of what happens, until the visit ends; undefined when too many listen. */
  readonly events: (
    c: Context<E>,
    lastEventId: string | undefined,
    cookie: string,
  ) => Soon<Events | undefined>;
  readonly locked: () => ErrorAnswer;
  readonly failed: (error: unknown, c: Context<E>) => Response;
}

export type Events = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Far more than a person writes into an entry, and less than a text that was cut to be shown: that never comes back. */
const LARGEST_BODY = 64 * 1024;
/** So long a page that finds no room waits before it asks again, in seconds. */
const COME_BACK_AFTER = '30';
/** The page tells its views apart itself; to the server they are one page. */
const VIEW = /^\/(?:(?:search|memories|projects|sessions|live|review|settings|import|team)(?:\/.*)?)?$/;
const PAGE_KEY = 'tidemark-page';

export function hubApp<E extends Env>(parts: HubAppParts<E>): Hono<E> {
  const { base, assets, visits, cookieName, locked } = parts;
  const app = new Hono<E>();
  const cookieOf = (c: Context<E>) => getCookie(c, cookieName(c)) ?? '';
  const within = (c: Context<E>) => c.req.path.slice(base.length);
  const cookiePath = `${base}/`;
  const letIn = (c: Context<E>, cookie: string): void =>
    setCookie(c, cookieName(c), cookie, {
      httpOnly: true,
      sameSite: 'Strict',
      path: cookiePath,
      ...(parts.standpoint(c).scheme === 'https' ? { secure: true } : {}),
    });
  /** Who is not let in is told how to get in; whoever asks for a script or data is just told no. */
  const toldOutside = (c: Context<E>): Response =>
    wantsPage(c) ? page(c, assets.get(parts.outside), 401, 'no-store') : json(c, locked());

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(PAGE_HEADERS)) c.res.headers.set(name, value);
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
  });
  app.use(async (c, next) => {
    const refusal = refusalOf(headOf(c, within(c)), parts.standpoint(c));
    if (refusal) return json(c, answer(refusal.status, refusal.code, refusal.message));
    await next();
  });
  app.use(bodyLimit({ maxSize: LARGEST_BODY, onError: (c) => json(c, TOO_LARGE) }));

  app.get('/enter', async (c) => {
    // A browser that looks ahead, or a preview of the link, must not use it up.
    if (c.req.header('sec-purpose') !== undefined || c.req.method === 'HEAD') return toldOutside(c);
    const cookie = await visits.enter(c.req.query('key') ?? '', c);
    if (cookie === undefined) return toldOutside(c);
    letIn(c, cookie);
    const site = c.req.header('sec-fetch-site');
    // Led here by another site (a terminal in a browser), a redirect would go on without the cookie: step over ourselves.
    if (site === 'cross-site' || site === 'same-site')
      return page(c, assets.get('/entered.html'), 200, 'no-store');
    return c.redirect(`${base}/`, 303);
  });
  parts.doors?.(app, letIn);

  app.post('/api/page-key', async (c) => {
    const key = await visits.claimPage(cookieOf(c));
    return key === undefined ? json(c, locked()) : c.json({ key });
  });
  app.use('/api/*', async (c, next) => {
    if (!(await visits.isPage(cookieOf(c), c.req.header(PAGE_KEY) ?? '', c))) return json(c, locked());
    await next();
  });
  // A form of another page cannot send this, and a script of one has to ask first, in vain.
  app.use('/api/*', async (c, next) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (c.req.method !== 'GET' && type !== 'application/json') return json(c, NOT_JSON);
    await next();
  });
  app.post('/api/logout', async (c) => {
    await visits.leave(cookieOf(c));
    deleteCookie(c, cookieName(c), { path: cookiePath });
    return c.json({});
  });
  app.get('/api/events', async (c) => {
    const stream = await parts.events(c, c.req.header('last-event-id'), cookieOf(c));
    if (!stream) return c.json(TOO_MANY.body, TOO_MANY.status, { 'retry-after': COME_BACK_AFTER });
    // A proxy that collects what it passes on would keep it all to itself.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
    return c.body(stream, 200, headers);
  });
  app.route('/api', parts.api);

  app.get('*', async (c) => {
    const path = within(c);
    if (path === '') return c.redirect(`${base}/`, 308);
    if (parts.forAnyone.has(path)) return page(c, assets.get(path), 200);
    if (path.startsWith('/api/')) return json(c, NOT_FOUND);
    if (!(await visits.isVisitor(cookieOf(c)))) return toldOutside(c);
    if (VIEW.test(path)) return page(c, assets.get('/index.html'), 200);
    return assets.has(path) || !wantsPage(c)
      ? page(c, assets.get(path), 200)
      : page(c, assets.get('/index.html'), 404);
  });
  app.all('*', (c) => json(c, NOT_FOUND));
  app.onError((error, c) => parts.failed(error, c));
  return app;
}

const NOT_FOUND = answer(404, 'not-found', 'there is nothing at this address');
const TOO_LARGE = answer(
  413,
  'too-large',
  'the request is over 64 KB',
  'Change a text as long as this with: tidemark edit <id>',
);
const NOT_JSON = answer(415, 'content-type', 'the hub takes only JSON here');
const TOO_MANY = answer(503, 'too-many', 'too many pages listen already', 'Close some of them.');

function json(c: Context, { status, body }: ErrorAnswer): Response {
  return c.json(body, status);
}

function wantsPage(c: Context): boolean {
  return c.req.header('accept')?.includes('text/html') ?? false;
}

/** The names of the files do not change with their content: the browser keeps them, but asks each time. */
function page(
  c: Context,
  asset: Asset | undefined,
  status: 200 | 401 | 404,
  cache = 'private, no-cache',
): Response {
  if (!asset) return json(c, NOT_FOUND);
  const headers = { 'content-type': asset.type, 'cache-control': cache, etag: asset.etag };
  if (status === 200 && c.req.header('if-none-match') === asset.etag) return c.body(null, 304, headers);
  return c.body(asset.body, status, headers);
}

function headOf(c: Context, path: string): RequestHead {
  return {
    method: c.req.method,
    path,
    host: c.req.header('host'),
    origin: c.req.header('origin'),
    site: c.req.header('sec-fetch-site'),
    mode: c.req.header('sec-fetch-mode'),
    dest: c.req.header('sec-fetch-dest'),
  };
}
