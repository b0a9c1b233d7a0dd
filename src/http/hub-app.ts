/**
 * The HTTP application of every hub: sign-in, sign-out, API, page. Everything except sign-in needs a cookie, and every
 * API request needs the page's key as well. The caller supplies the API and decides who is let in.
 */
import { Hono, type Context, type Env } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { answer, NOT_FOUND, type ErrorAnswer } from './answer.ts';
import type { Asset, Assets } from './assets.ts';
import { refusalOf, type HubAddress, type RequestHead } from './origin-check.ts';

type Soon<T> = T | Promise<T>;

/** The visits that are signed in. Cookies and keys are secrets; nothing here is ever logged. */
export interface Visits<E extends Env> {
  /** Exchanges a link's key for a cookie; undefined if the key is used, expired or unknown. */
  enter(key: string, c: Context<E>): Soon<string | undefined>;
  isVisitor(cookie: string): Soon<boolean>;
  /** Issues the page's key, once for each visit. */
  claimPage(cookie: string): Soon<string | undefined>;
  isPage(cookie: string, key: string, c: Context<E>): Soon<boolean>;
  leave(cookie: string): Soon<void>;
}

export interface HubAppParts<E extends Env> {
  /** Base path on the server: empty, or `/hub`. */
  readonly base: string;
  readonly assets: Assets;
  /** The page for browsers that are not signed in. */
  readonly lockedPage: string;
  /** Files of that page; they contain no user data. */
  readonly publicFiles: ReadonlySet<string>;
  readonly address: (c: Context<E>) => HubAddress;
  readonly cookieName: (c: Context<E>) => string;
  readonly visits: Visits<E>;
  readonly api: Hono<E>;
  /** Adds more ways to sign in; these routes need no cookie. */
  readonly logins?: (app: Hono<E>, signIn: (c: Context<E>, cookie: string) => void) => void;
  /** Returns the stream of live events until the visit ends; undefined when there are too many listeners. */
  readonly events: (
    c: Context<E>,
    lastEventId: string | undefined,
    cookie: string,
  ) => Soon<Events | undefined>;
  readonly locked: () => ErrorAnswer;
  readonly failed: (error: unknown, c: Context<E>) => Response;
}

export type Events = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Far more than a user writes into a memory, and less than a text that was cut for the page: a cut text is never saved. */
const LARGEST_BODY = 64 * 1024;
/** Seconds. */
const RETRY_AFTER = '30';
/** The paths of the page's views: the server sends the same page for all of them. */
const VIEW = /^\/(?:(?:search|memories|projects|sessions|live|review|settings|import|team|trash)(?:\/.*)?)?$/;
const PAGE_KEY = 'tidemark-page';
/** Headers of every answer: run only our own scripts, allow no frames, send no referrer. */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-dns-prefetch-control': 'off',
} as const;

export function hubApp<E extends Env>(parts: HubAppParts<E>): Hono<E> {
  const { base, assets, visits, cookieName, locked } = parts;
  const app = new Hono<E>();
  const cookieOf = (c: Context<E>) => getCookie(c, cookieName(c)) ?? '';
  const within = (c: Context<E>) => c.req.path.slice(base.length);
  const cookiePath = `${base}/`;
  const signIn = (c: Context<E>, cookie: string): void =>
    setCookie(c, cookieName(c), cookie, {
      httpOnly: true,
      sameSite: 'Strict',
      path: cookiePath,
      ...(parts.address(c).scheme === 'https' ? { secure: true } : {}),
    });
  /** A browser gets the page that explains how to sign in, other requests get an error. */
  const refuse = (c: Context<E>): Response =>
    wantsPage(c) ? page(c, assets.get(parts.lockedPage), 401, 'no-store') : json(c, locked());

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(PAGE_HEADERS)) c.res.headers.set(name, value);
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
  });
  app.use(async (c, next) => {
    const refusal = refusalOf(headOf(c, within(c)), parts.address(c));
    if (refusal) return json(c, answer(refusal.status, refusal.code, refusal.message));
    await next();
  });
  app.use(bodyLimit({ maxSize: LARGEST_BODY, onError: (c) => json(c, TOO_LARGE) }));

  app.get('/enter', async (c) => {
    // Prefetching or a preview of the link must not use it up.
    if (c.req.header('sec-purpose') !== undefined || c.req.method === 'HEAD') return refuse(c);
    const cookie = await visits.enter(c.req.query('key') ?? '', c);
    if (cookie === undefined) return refuse(c);
    signIn(c, cookie);
    const site = c.req.header('sec-fetch-site');
    // Coming from another site (a terminal in a browser), a redirect would not carry the cookie: load a page in between.
    if (site === 'cross-site' || site === 'same-site')
      return page(c, assets.get('/entered.html'), 200, 'no-store');
    return c.redirect(`${base}/`, 303);
  });
  parts.logins?.(app, signIn);

  app.post('/api/page-key', async (c) => {
    const key = await visits.claimPage(cookieOf(c));
    return key === undefined ? json(c, locked()) : c.json({ key });
  });
  app.use('/api/*', async (c, next) => {
    if (!(await visits.isPage(cookieOf(c), c.req.header(PAGE_KEY) ?? '', c))) return json(c, locked());
    await next();
  });
  // A form of another site cannot send this type, and a script of another site needs a preflight, which is refused.
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
    if (!stream) return c.json(TOO_MANY.body, TOO_MANY.status, { 'retry-after': RETRY_AFTER });
    // A proxy must not buffer the stream.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
    return c.body(stream, 200, headers);
  });
  app.route('/api', parts.api);

  app.get('*', async (c) => {
    const path = within(c);
    if (path === '') return c.redirect(`${base}/`, 308);
    if (parts.publicFiles.has(path)) return page(c, assets.get(path), 200);
    if (path.startsWith('/api/')) return json(c, NOT_FOUND);
    if (!(await visits.isVisitor(cookieOf(c)))) return refuse(c);
    if (VIEW.test(path)) return page(c, assets.get('/index.html'), 200);
    return assets.has(path) || !wantsPage(c)
      ? page(c, assets.get(path), 200)
      : page(c, assets.get('/index.html'), 404);
  });
  app.all('*', (c) => json(c, NOT_FOUND));
  app.onError((error, c) => parts.failed(error, c));
  return app;
}

const TOO_LARGE = answer(
  413,
  'too-large',
  'the request is over 64 KB',
  'Change so long a text with: tidemark edit <id>',
);
const NOT_JSON = answer(415, 'content-type', 'this address accepts only JSON');
const TOO_MANY = answer(503, 'too-many', 'too many hub pages are open', 'Close some of them.');

function json(c: Context, { status, body }: ErrorAnswer): Response {
  return c.json(body, status);
}

function wantsPage(c: Context): boolean {
  return c.req.header('accept')?.includes('text/html') ?? false;
}

/** File names do not change with their content: the browser caches them, but revalidates each time. */
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
