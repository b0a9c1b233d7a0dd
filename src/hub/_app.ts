/** The routes of the hub: way in, way out, API, page. Everything but the way in needs the cookie of this daemon's life. */
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { answer, type ErrorAnswer } from '../http/index.ts';
import { api, type ApiParts } from './_api.ts';
import type { Asset, Assets } from './_assets.ts';
import { LOCKED, errorAnswer } from './_errors.ts';
import type { Feed } from './_feed.ts';
import { refusalOf } from './_gate.ts';
import { HEADERS } from './_headers.ts';
import type { Keys } from './_keys.ts';

export interface Parts extends ApiParts {
  readonly assets: Assets;
  readonly feed: Feed;
  readonly keys: Keys;
  readonly port: () => number;
  readonly onError: (error: unknown) => void;
}

/** Far more than a person writes into an entry, and less than a text that was cut to be shown: that never comes back. */
const LARGEST_BODY = 64 * 1024;
/** So long a page that finds no room waits before it asks again, in seconds. */
const COME_BACK_AFTER = '30';
/** The page tells its views apart itself; to the server they are one page. */
const VIEW = /^\/(?:(?:search|memories|projects|sessions|live|review|settings|import|team)(?:\/.*)?)?$/;
/** What the page for those outside is made of. It shows nothing of anyone. */
const FOR_ANYONE = new Set(['/locked.css', '/tidemark.svg']);
const PAGE_KEY = 'tidemark-page';

export function hubApp({ call, imports, assets, feed, keys, port, onError }: Parts): Hono {
  const app = new Hono();
  const cookieName = () => `tidemark-${port()}`;
  const cookieOf = (c: Context) => getCookie(c, cookieName()) ?? '';

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
  });
  app.use(async (c, next) => {
    const refusal = refusalOf(headOf(c), port());
    if (refusal) return json(c, answer(refusal.status, refusal.code, refusal.message));
    await next();
  });
  app.use(bodyLimit({ maxSize: LARGEST_BODY, onError: (c) => json(c, TOO_LARGE) }));

  app.get('/enter', (c) => {
    // A browser that looks ahead, or a preview of the link, must not use it up.
    if (c.req.header('sec-purpose') !== undefined || c.req.method === 'HEAD') return locked(c, assets);
    const cookie = keys.enter(c.req.query('key') ?? '');
    if (cookie === undefined) return locked(c, assets);
    setCookie(c, cookieName(), cookie, { httpOnly: true, sameSite: 'Strict', path: '/' });
    const site = c.req.header('sec-fetch-site');
    // Led here by another site (a terminal in a browser), a redirect would go on without the cookie: step over ourselves.
    if (site === 'cross-site' || site === 'same-site')
      return page(c, assets.get('/entered.html'), 200, 'no-store');
    return c.redirect('/', 303);
  });

  app.post('/api/page-key', (c) => {
    const key = keys.claimPage(cookieOf(c));
    return key === undefined ? json(c, errorAnswer(LOCKED)) : c.json({ key });
  });
  app.use('/api/*', async (c, next) => {
    if (!keys.isPage(cookieOf(c), c.req.header(PAGE_KEY) ?? '')) return json(c, errorAnswer(LOCKED));
    await next();
  });
  // A form of another page cannot send this, and a script of one has to ask first, in vain.
  app.use('/api/*', async (c, next) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (c.req.method !== 'GET' && type !== 'application/json') return json(c, NOT_JSON);
    await next();
  });
  app.post('/api/logout', (c) => {
    keys.leave(cookieOf(c));
    feed.dismiss();
    deleteCookie(c, cookieName(), { path: '/' });
    return c.json({});
  });
  app.get('/api/events', (c) => {
    const cookie = cookieOf(c);
    const stream = feed.open(c.req.header('last-event-id'), () => keys.isVisitor(cookie));
    if (!stream) return c.json(TOO_MANY.body, TOO_MANY.status, { 'retry-after': COME_BACK_AFTER });
    return c.body(stream, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
  });
  app.route('/api', api({ call, imports }));

  app.get('*', (c) => {
    const { path } = c.req;
    if (FOR_ANYONE.has(path)) return page(c, assets.get(path), 200);
    if (path.startsWith('/api/')) return json(c, NOT_FOUND);
    if (!keys.isVisitor(cookieOf(c))) return locked(c, assets);
    if (VIEW.test(path)) return page(c, assets.get('/index.html'), 200);
    return assets.has(path) || !wantsPage(c)
      ? page(c, assets.get(path), 200)
      : page(c, assets.get('/index.html'), 404);
  });

  app.notFound((c) => json(c, NOT_FOUND));
  app.onError((error, c) => {
    const shape = errorAnswer(error);
    if (shape.status === 500) onError(error);
    return json(c, shape);
  });
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

/** Who is not let in is told how to get in; whoever asks for a script or data is just told no. */
function locked(c: Context, assets: Assets): Response {
  return wantsPage(c) ? page(c, assets.get('/locked.html'), 401, 'no-store') : json(c, errorAnswer(LOCKED));
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

function headOf(c: Context) {
  return {
    method: c.req.method,
    path: c.req.path,
    host: c.req.header('host'),
    origin: c.req.header('origin'),
    site: c.req.header('sec-fetch-site'),
    mode: c.req.header('sec-fetch-mode'),
    dest: c.req.header('sec-fetch-dest'),
  };
}
