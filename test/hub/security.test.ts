/** Attacks on the hub: without signing in, or from another site, nothing can be read or changed. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { TidemarkError } from '../../src/core/index.ts';
import type { Asked, Visitor } from '../support/hub-client.ts';
import { NASTY, PlayedHub } from './_played-hub.ts';

const MINUTE = 60_000;
const memory = { id: '1ja0p3h7k2m9qx', title: 'Berths are locked by row' };

let hub: PlayedHub;
let visitor: Visitor;

before(async () => {
  hub = await PlayedHub.open({
    'read.page': () => ({ memories: [memory], total: 1, next: null, days: [] }),
    'read.cards': () => [{ memories: 1 }],
    'read.sessionPage': () => ({ sessions: [], total: 0, next: null }),
    status: () => ({ version: '0.1.0' }),
    'read.found': () => ({ query: {}, hits: [], turns: [], considered: 0 }),
    'read.memory': () => ({ memory }),
    'read.transcript': () => ({ turn: {} }),
  });
  visitor = await hub.enter();
});
after(() => hub.close());

const API = ['memories', 'sessions', 'projects', 'search?q=x', 'memories/a', 'memories/a/transcript'];

async function refused(path: string, asked: Asked, status: number, code: string): Promise<void> {
  const callsBefore = hub.calls.length;
  const reply = await hub.ask(path, asked);
  assert.equal(reply.status, status, path);
  assert.equal(JSON.parse(reply.text).error.code, code);
  assert.equal(hub.calls.length, callsBefore, 'the daemon was not asked');
}

describe('a signed-in visitor', () => {
  test('reads every route', async () => {
    for (const route of API) {
      const reply = await hub.ask(`/api/${route}`, { headers: visitor.headers });
      assert.equal(reply.status, 200, `${route}: ${reply.text}`);
      assert.match(String(reply.headers['content-type']), /^application\/json/);
      assert.equal(reply.headers['cache-control'], 'no-store');
    }
    const page = await hub.ask('/projects/harbor-api-1', { headers: { cookie: visitor.cookie } });
    assert.match(page.text, /<title>index/);
  });

  test('gets the page from the cache until it changes', async () => {
    const first = await hub.ask('/main.js', { headers: { cookie: visitor.cookie } });
    const etag = String(first.headers['etag']);
    const again = await hub.ask('/main.js', { headers: { cookie: visitor.cookie, 'if-none-match': etag } });
    assert.equal(again.status, 304);
  });

  test('has no access after signing out, with the same cookie and key', async () => {
    const guest = await hub.enter();
    const left = await hub.ask('/api/logout', {
      method: 'POST',
      headers: { ...guest.headers, origin: `http://${hub.host}`, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(left.status, 200);
    assert.match(String(left.headers['set-cookie']), /Max-Age=0/);
    await refused('/api/projects', { headers: guest.headers }, 401, 'locked');
    const page = await hub.ask('/', { headers: { cookie: guest.cookie, accept: 'text/html' } });
    assert.equal(page.status, 401);
  });
});

describe('the link', () => {
  test('sets a cookie that scripts and other sites cannot read, and leaves no key in the address', async () => {
    const { pathname, search } = new URL(hub.hub.link());
    const reply = await hub.ask(pathname + search);
    assert.equal(reply.status, 303);
    assert.equal(reply.headers['location'], '/');
    const cookie = String(reply.headers['set-cookie']);
    assert.match(cookie, /^tidemark-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal(reply.headers['cache-control'], 'no-store');
  });

  test('works once', async () => {
    const { pathname, search } = new URL(hub.hub.link());
    assert.equal((await hub.ask(pathname + search)).status, 303);
    const again = await hub.ask(pathname + search);
    assert.equal(again.status, 401);
    assert.equal(again.headers['set-cookie'], undefined);
  });

  test('expires after five minutes', async () => {
    const { pathname, search } = new URL(hub.hub.link());
    const start = hub.clock.now;
    hub.clock.now = new Date(start.getTime() + 5 * MINUTE);
    assert.equal((await hub.ask(pathname + search)).status, 401);
    hub.clock.now = start;
  });

  test('is not used up by prefetching or a preview', async () => {
    const { pathname, search } = new URL(hub.hub.link());
    const path = pathname + search;
    assert.equal((await hub.ask(path, { headers: { 'sec-purpose': 'prefetch;prerender' } })).status, 401);
    assert.equal((await hub.ask(path, { method: 'HEAD' })).status, 401);
    assert.equal((await hub.ask(path)).status, 303);
  });

  test('opened from another site loads a page in between, because a redirect would lose the cookie', async () => {
    const { pathname, search } = new URL(hub.hub.link());
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const reply = await hub.ask(pathname + search, { headers });
    assert.equal(reply.status, 200);
    assert.match(reply.text, /<title>entered/);
    assert.equal(reply.headers['cache-control'], 'no-store');
  });

  test('cannot be guessed or left out', async () => {
    for (const key of ['', 'x', 'a'.repeat(43)]) {
      assert.equal((await hub.ask(`/enter?key=${key}`)).status, 401);
    }
    assert.equal((await hub.ask('/enter')).status, 401);
  });
});

describe('without a cookie', () => {
  test('there is no data, and only the page that says how to sign in', async () => {
    for (const route of API) await refused(`/api/${route}`, {}, 401, 'locked');
    for (const path of ['/main.js', '/', '/nothing']) await refused(path, {}, 401, 'locked');
    const page = await hub.ask('/', { headers: { accept: 'text/html' } });
    assert.equal(page.status, 401);
    assert.match(page.text, /<title>locked/);
  });

  test('an invented cookie or one of another port is refused', async () => {
    for (const value of ['', 'x', 'a'.repeat(43)]) {
      const cookie = `tidemark-${hub.hub.port}=${value}`;
      await refused('/api/projects', { headers: { ...visitor.headers, cookie } }, 401, 'locked');
    }
    const elsewhere = visitor.cookie.replace(/^tidemark-\d+/, 'tidemark-1');
    await refused('/api/projects', { headers: { ...visitor.headers, cookie: elsewhere } }, 401, 'locked');
  });

  test('a cookie expires after a day without use', async () => {
    const start = hub.clock.now;
    const guest = await hub.enter();
    hub.clock.now = new Date(start.getTime() + 24 * 60 * MINUTE);
    await refused('/api/projects', { headers: guest.headers }, 401, 'locked');
    hub.clock.now = start;
    visitor = await hub.enter();
  });
});

describe('a cookie that another port of this machine received', () => {
  test('reads nothing without the key of the page', async () => {
    const { 'tidemark-page': _key, ...headers } = visitor.headers;
    await refused('/api/projects', { headers }, 401, 'locked');
    await refused('/api/projects', { headers: { ...headers, 'tidemark-page': 'x' } }, 401, 'locked');
  });

  test('a page loaded twice before its first request still gets its key', async () => {
    const guest = await hub.enter();
    const own = { cookie: guest.cookie, origin: `http://${hub.host}` };
    const again = await hub.ask('/api/page-key', { method: 'POST', headers: own });
    assert.equal(again.status, 200);
    const { key } = JSON.parse(again.text) as { key: string };
    await refused('/api/projects', { headers: guest.headers }, 401, 'locked');
    const asked = await hub.ask('/api/projects', { headers: { ...guest.headers, 'tidemark-page': key } });
    assert.equal(asked.status, 200);
    await refused('/api/page-key', { method: 'POST', headers: own }, 401, 'locked');
  });

  test('gets no key, because the page has it', async () => {
    assert.equal((await hub.ask('/api/projects', { headers: visitor.headers })).status, 200);
    const own = { cookie: visitor.cookie, origin: `http://${hub.host}` };
    await refused('/api/page-key', { method: 'POST', headers: own }, 401, 'locked');
  });
});

describe('from another site', () => {
  test('another Host is refused, even if everything else is right', async () => {
    const { port } = hub.hub;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `[::1]:${port}`,
    ]) {
      await refused('/api/projects', { headers: { ...visitor.headers, host } }, 403, 'wrong-host');
      await refused('/', { headers: { cookie: visitor.cookie, host } }, 403, 'wrong-host');
    }
    const local = await hub.ask('/', { headers: { cookie: visitor.cookie, host: `localhost:${port}` } });
    assert.equal(local.status, 200);
  });

  test('a request line with another host is refused', async () => {
    const raw = await rawRequest(
      `GET http://evil.example/api/projects HTTP/1.1\r\nHost: evil.example\r\nCookie: ${visitor.cookie}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(raw, /^HTTP\/1\.1 40[03]/);
    assert.doesNotMatch(raw, /"memories"/);
  });

  test('another Origin reads nothing', async () => {
    for (const origin of [
      'https://evil.example',
      `http://127.0.0.1:${hub.hub.port + 1}`,
      'null',
      `https://${hub.host}`,
    ]) {
      await refused('/api/projects', { headers: { ...visitor.headers, origin } }, 403, 'other-site');
    }
  });

  test('a page of another site or port loads neither data nor script', async () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { ...visitor.headers, 'sec-fetch-site': site };
      await refused('/api/projects', { headers }, 403, 'other-site');
      if (site !== 'none') await refused('/main.js', { headers }, 403, 'other-site');
    }
    const framed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
    };
    await refused('/', { headers: { ...visitor.headers, ...framed } }, 403, 'other-site');
  });

  test('a POST changes nothing, also without an origin', async () => {
    const forms: Record<string, string>[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      {},
    ];
    for (const form of forms) {
      const headers = {
        cookie: visitor.cookie,
        'content-type': 'application/x-www-form-urlencoded',
        ...form,
      };
      await refused('/api/logout', { method: 'POST', headers, body: 'a=1' }, 403, 'other-site');
      await refused('/api/page-key', { method: 'POST', headers }, 403, 'other-site');
    }
    assert.equal((await hub.ask('/api/projects', { headers: visitor.headers })).status, 200);
  });

  test('no answer grants another origin anything', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const reply = await hub.ask('/api/projects', { method: 'OPTIONS', headers: preflight });
    assert.equal(reply.status, 405);
    for (const name of Object.keys(reply.headers)) assert.doesNotMatch(name, /^access-control-/);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE']) {
      assert.equal((await hub.ask('/api/projects', { method, headers: visitor.headers })).status, 405);
    }
  });
});

describe('every answer', () => {
  test('forbids foreign scripts and frames', async () => {
    const asked: [string, Asked][] = [
      ['/', { headers: { cookie: visitor.cookie } }],
      ['/', { headers: { accept: 'text/html' } }],
      ['/main.js', { headers: { cookie: visitor.cookie } }],
      ['/api/projects', { headers: visitor.headers }],
      ['/api/projects', {}],
      ['/api/nothing', { headers: visitor.headers }],
      ['/', { headers: { host: 'evil.example' } }],
      ['/enter?key=x', {}],
    ];
    for (const [path, options] of asked) {
      const { headers } = await hub.ask(path, options);
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        path,
      );
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
      assert.equal(headers['cross-origin-embedder-policy'], 'require-corp');
      assert.equal(headers['x-powered-by'], undefined);
    }
  });
});

describe('paths', () => {
  test('lead only to files of the page', async () => {
    const headers = { cookie: visitor.cookie };
    const tries = [
      '/../secret.html',
      '/..%2fsecret.html',
      '/%2e%2e/secret.html',
      '/deep/../../secret.html',
      '/deep/..%5c..%5csecret.html',
      '//etc/passwd',
      '/main.js%00.html',
      '/notes.txt',
      '/deep',
    ];
    for (const path of tries) {
      const { status, text } = await hub.ask(path, { headers });
      assert.ok(status === 404 || status === 400, `${path} gave ${status}`);
      assert.doesNotMatch(text, /not for anyone|root:/);
    }
    assert.equal((await hub.ask('/deep/part.js', { headers })).status, 200);
  });

  test('in other spellings do not bypass the cookie', async () => {
    for (const path of [
      '/%61pi/projects',
      '//api/projects',
      '/API/projects',
      '/api//projects',
      '/x/../api/projects',
      '/api/./projects',
    ]) {
      const { text } = await hub.ask(path, { headers: { 'sec-fetch-site': 'cross-site' } });
      assert.doesNotMatch(text, /"memories":1/, path);
    }
  });
});

describe('a request', () => {
  test('is refused when it is not valid, and never reaches the daemon', async () => {
    const bad = [
      'memories?limit=0',
      'memories?limit=201',
      'memories?limit=1e9',
      'memories?before=here',
      'memories?kind=secret',
      'memories?zone=..%2f..%2fetc',
      'search',
      `search?q=${'x'.repeat(2001)}`,
    ];
    for (const path of bad) await refused(`/api/${path}`, { headers: visitor.headers }, 400, 'invalid');
    await refused('/api/memories/a%20b', { headers: visitor.headers }, 400, 'invalid');
    await refused(`/api/memories/${'a'.repeat(81)}`, { headers: visitor.headers }, 400, 'invalid');
  });

  test('is refused when it is too large', async () => {
    const headers = { ...visitor.headers, 'content-type': 'text/plain' };
    const reply = await hub.ask('/api/logout', { method: 'POST', headers, body: 'x'.repeat(65 * 1024) });
    assert.equal(reply.status, 413);
    assert.equal((await hub.ask('/api/projects', { headers: visitor.headers })).status, 200);
  });
});

describe('an answer', () => {
  test('a memory with script in every field comes back as the same text, as JSON', async (t) => {
    const nasty = {
      id: NASTY,
      title: NASTY,
      body: NASTY,
      facts: [NASTY],
      files: [NASTY],
      provenance: { by: NASTY },
    };
    const other = await PlayedHub.open({
      'read.page': () => ({ memories: [nasty], total: 1, next: null, days: [] }),
      'read.memory': () => ({ memory: nasty }),
      'read.cards': () => [{ id: NASTY, name: NASTY }],
      'read.found': () => ({ query: { text: NASTY }, hits: [{ memory: nasty }], turns: [], considered: 1 }),
    });
    t.after(() => other.close());
    const { headers } = await other.enter();
    for (const path of ['memories', 'memories/a', 'projects', 'search?q=x']) {
      const reply = await other.ask(`/api/${path}`, { headers });
      assert.match(String(reply.headers['content-type']), /^application\/json/);
      assert.ok(JSON.stringify(JSON.parse(reply.text)).includes(JSON.stringify(NASTY)), path);
    }
  });

  test('a memory of five megabytes is cut to what a page can show', async (t) => {
    const body = '𝄞'.repeat(2.5 * 1024 * 1024);
    const other = await PlayedHub.open({
      'read.page': () => ({ memories: Array.from({ length: 20 }, () => ({ body })), next: null }),
      'read.memory': () => ({ memory: { body } }),
    });
    t.after(() => other.close());
    const { headers } = await other.enter();
    const list = await other.ask('/api/memories', { headers });
    assert.ok(list.text.length < 100_000);
    const entry = await other.ask('/api/memories/a', { headers });
    assert.ok(entry.text.length < 300_000);
    assert.match(entry.text, /more characters\)/);
    assert.ok(JSON.parse(entry.text).memory.body.isWellFormed());
  });

  test('an internal error is written to the log, not sent to the page', async (t) => {
    const said = 'ENOENT: /home/someone/secret';
    // As thrown in this thread, and as received from another one.
    for (const error of [new Error(said), new TidemarkError('internal', said)]) {
      const other = await PlayedHub.open({
        'read.cards': () => {
          throw error;
        },
      });
      t.after(() => other.close());
      const { headers } = await other.enter();
      const reply = await other.ask('/api/projects', { headers });
      assert.equal(reply.status, 500);
      assert.deepEqual(Object.keys(JSON.parse(reply.text).error), ['code', 'message', 'hint']);
      assert.doesNotMatch(reply.text, /someone/);
      assert.equal(other.errors.length, 1);
    }
  });
});

describe('the address', () => {
  test('is on loopback, with the port of this user or a later one', () => {
    const first = 37_800 + ((process.getuid?.() ?? 0) % 100);
    assert.ok(hub.hub.port >= first);
    assert.match(hub.hub.link(), /^http:\/\/127\.0\.0\.1:\d+\/enter\?key=[\w-]{43}$/);
  });

  test('a second hub uses another port and does not accept the first one’s visitors', async (t) => {
    const other = await PlayedHub.open({ 'read.cards': () => [] });
    t.after(() => other.close());
    assert.notEqual(other.hub.port, hub.hub.port);
    const cookie = visitor.cookie.replace(/^tidemark-\d+/, `tidemark-${other.hub.port}`);
    const reply = await other.ask('/api/projects', { headers: { ...visitor.headers, cookie } });
    assert.equal(reply.status, 401);
  });
});

function rawRequest(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(hub.hub.port, '127.0.0.1', () => socket.write(text));
    let reply = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (reply += chunk));
    socket.on('end', () => resolve(reply)).on('error', reject);
  });
}
