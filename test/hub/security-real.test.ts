/** Attacks on the hub of a real daemon over HTTP: every route, every header, and hostile stored memories. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import type { Asked } from '../support/hub-client.ts';
import { waitFor } from '../support/wait-for.ts';
import { NASTY } from './_played-hub.ts';
import { RealHub } from './_real-hub.ts';

let hub: RealHub;
let memory: Memory;

before(async () => {
  hub = await RealHub.start();
  const { memories } = await hub.get<'GET /memories'>('/memories?limit=1');
  assert.ok(memories[0]);
  memory = memories[0];
});
after(() => hub.close());

const READ = () => [
  '/api/overview',
  '/api/projects',
  `/api/projects/${memory.project}`,
  '/api/memories',
  `/api/memories/${memory.id}`,
  `/api/memories/${memory.id}/transcript`,
  '/api/search?q=berth',
  '/api/sessions',
  `/api/sessions/${memory.provenance.session}`,
  '/api/review',
  '/api/settings',
  '/api/import',
  '/api/import/sources',
  '/api/events',
  '/api/team',
];
const CHANGE = () => [
  ...['edit', 'resolve', 'reopen', 'supersede', 'move', 'forget', 'undo-forget'].map(
    (what) => `/api/memories/${memory.id}/${what}`,
  ),
  `/api/review/${memory.id}`,
  '/api/import/history',
  '/api/import/cancel',
  '/api/logout',
];

async function allRefused(asked: Asked, status: number, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const reply = await hub.ask(path, asked);
    assert.equal(reply.status, status, `${asked.method ?? 'GET'} ${path}: ${reply.text.slice(0, 200)}`);
    assert.equal(typeof JSON.parse(reply.text).error.code, 'string', path);
    for (const name of Object.keys(reply.headers)) assert.doesNotMatch(name, /^access-control-/);
  }
}

const asJson = (headers: Readonly<Record<string, string>>): Asked => ({
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: '{"patch":{"title":"owned"},"verdict":"drop"}',
});

const isUnchanged = async (): Promise<void> => {
  const now = await hub.get<'GET /memories/:id'>(`/memories/${memory.id}`);
  assert.deepEqual(now.memory, memory);
};

describe('on every route, including the live stream', () => {
  test('another Host is refused, even if everything else is right', async () => {
    for (const host of ['evil.example', `evil.example:${hub.port}`, `127.0.0.1.evil.example:${hub.port}`]) {
      const headers = { ...hub.visitor.headers, host };
      await allRefused({ headers }, 403, READ());
      await allRefused(asJson(headers), 403, CHANGE());
    }
    await isUnchanged();
  });

  test('another Origin is refused, and so are requests of another site or port', async () => {
    const others = [
      { origin: 'https://evil.example' },
      { origin: `http://127.0.0.1:${hub.port + 1}` },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const other of others) {
      const headers = { ...hub.visitor.headers, ...other };
      await allRefused({ headers }, 403, READ());
      await allRefused(asJson(headers), 403, CHANGE());
    }
    const put = { ...asJson({ ...hub.visitor.headers, origin: 'https://evil.example' }), method: 'PUT' };
    await allRefused(put, 403, ['/api/settings/capture.enabled']);
    await isUnchanged();
  });

  test('a change without an origin is refused', async () => {
    const { 'sec-fetch-site': _, ...headers } = hub.visitor.headers as Record<string, string>;
    await allRefused(asJson(headers), 403, CHANGE());
    await isUnchanged();
  });

  test('requests without a valid cookie and page key get nothing', async () => {
    const own = { 'sec-fetch-site': 'same-origin', origin: `http://127.0.0.1:${hub.port}` };
    const made = `tidemark-${hub.port}=${'A'.repeat(43)}`;
    const { 'tidemark-page': key = '', cookie = '' } = hub.visitor.headers;
    for (const headers of [
      own,
      { ...own, 'tidemark-page': key },
      { ...own, cookie },
      { ...own, cookie: made, 'tidemark-page': key },
      { ...own, cookie, 'tidemark-page': 'A'.repeat(43) },
    ] as Record<string, string>[]) {
      await allRefused({ headers }, 401, READ());
      await allRefused(asJson(headers), 401, CHANGE());
    }
    await isUnchanged();
  });

  test('a form, or JSON with another content type, changes nothing', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const headers = { ...hub.visitor.headers, 'content-type': type };
      const body = '{"patch":{"title":"owned"}}';
      await allRefused({ method: 'POST', headers, body }, 415, CHANGE());
    }
    await isUnchanged();
  });

  test('a stolen cookie is not valid after its owner signed out', async () => {
    const guest = await hub.enter();
    const before = await hub.ask('/api/overview', { headers: guest.headers });
    assert.equal(before.status, 200);
    assert.equal((await hub.ask('/api/logout', asJson(guest.headers))).status, 200);
    await allRefused({ headers: guest.headers }, 401, READ());
    await allRefused(asJson(guest.headers), 401, CHANGE());
    const own = { cookie: guest.cookie, origin: `http://127.0.0.1:${hub.port}` };
    await allRefused({ method: 'POST', headers: own }, 401, ['/api/page-key']);
    const page = await hub.ask('/', { headers: { cookie: guest.cookie, accept: 'text/html' } });
    assert.equal(page.status, 401);
  });
});

describe('paths', () => {
  test('with parent folders, plain or encoded, lead to no file', async () => {
    const climbs = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..%5c', '%252e%252e%252f', '....//'];
    const targets = ['config.json', 'etc/passwd', 'index/tidemark.db', 'run/daemon.json'];
    const starts = ['/', '/main.js/', '/api/', '/api/projects/', '/api/memories/', '/projects/'];
    for (const start of starts) {
      for (const climb of climbs) {
        for (const target of targets) {
          const path = `${start}${climb.repeat(6)}${target}`;
          const { text } = await hub.ask(path, { headers: hub.visitor.headers });
          assert.doesNotMatch(text, /\broot:|SQLite format|"pid"/, path);
        }
      }
    }
  });
});

describe('hostile stored memories', () => {
  let nasty: Memory;

  before(async () => {
    nasty = await hub.machine.call('remember', {
      dir: hub.machine.project,
      draft: {
        kind: 'decision',
        title: `Berthing ${NASTY}`,
        body: NASTY,
        reason: NASTY,
        facts: [NASTY],
        concepts: ['<script>alert(1)</script>'],
        files: ['src/<img src=x onerror=alert(1)>.ts'],
      },
    });
    await hub.machine.deliver('SessionStart', {
      session_id: 's-<script>alert(1)</script>',
      source: 'startup',
    });
    await hub.machine.call('drain', {});
  });

  test('script in every field comes back only as JSON', async () => {
    for (const path of [
      ...READ().filter((one) => one !== '/api/events'),
      `/api/memories/${nasty.id}`,
      '/api/search?q=berthing',
      `/api/search?q=${encodeURIComponent(NASTY)}`,
      `/api/sessions/${encodeURIComponent('s-<script>alert(1)</script>')}`,
      `/api/projects/${encodeURIComponent(NASTY).slice(0, 150)}`,
    ]) {
      const reply = await hub.ask(path, { headers: hub.visitor.headers });
      assert.match(String(reply.headers['content-type']), /^application\/json/, path);
      assert.equal(reply.headers['x-content-type-options'], 'nosniff', path);
      assert.match(String(reply.headers['content-security-policy']), /script-src 'self';/);
      JSON.parse(reply.text);
    }
    const detail = await hub.get<'GET /memories/:id'>(`/memories/${nasty.id}`);
    assert.match(detail.memory.title, /<script>/);
  });

  test('a memory of five megabytes is cut in every answer', async () => {
    const body = `A long berth. ${'<script>alert(1)</script> '.repeat(210_000)}`;
    assert.ok(body.length > 5 * 1024 * 1024);
    const huge = await hub.machine.call('remember', {
      dir: hub.machine.project,
      draft: {
        kind: 'discovery',
        title: 'A log of five megabytes',
        body,
        facts: [],
        concepts: [],
        files: [],
      },
    });
    const list = await hub.ask('/api/memories?limit=5', { headers: hub.visitor.headers });
    assert.ok(list.text.includes(huge.id) && list.text.length < 100_000);
    const one = await hub.ask(`/api/memories/${huge.id}`, { headers: hub.visitor.headers });
    assert.ok(one.status === 200 && one.text.length < 500_000);
    const found = await hub.ask('/api/search?q=log+megabytes', { headers: hub.visitor.headers });
    assert.ok(found.text.includes(huge.id) && found.text.length < 500_000);
  });

  test('the size of a page is limited', async () => {
    for (const path of [
      'memories?limit=201',
      'memories?limit=1e6',
      'sessions?limit=99999',
      'search?q=x&limit=201',
    ])
      await allRefused({ headers: hub.visitor.headers }, 400, [`/api/${path}`]);
    const largest = await hub.ask('/api/memories?limit=200', { headers: hub.visitor.headers });
    assert.ok(largest.text.length < 2 * 1024 * 1024);
    // Node answers too long a head and closes at once: unread data can discard the answer.
    const tooLong = await hub
      .ask(`/api/search?q=${'x'.repeat(40_000)}`, { headers: hub.visitor.headers })
      .then(
        ({ status }) => status,
        ({ code }: NodeJS.ErrnoException) => code,
      );
    assert.ok([400, 431, 'ECONNRESET', 'EPIPE'].includes(tooLong ?? ''), String(tooLong));
  });
});

describe('a slow loris', () => {
  test('with endless heads and bodies blocks no one and is disconnected', async (t) => {
    const half = `GET /api/overview HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nX-Slow: `;
    const body = `POST /api/import/history HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nContent-Length: 5000\r\n\r\n{`;
    const sockets = await Promise.all(
      Array.from({ length: 300 }, (_, i) => opened(hub.port, i % 2 === 0 ? half : body)),
    );
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    assert.equal((await hub.get<'GET /overview'>('/overview')).health?.state, 'capturing');
    const { status } = await hub.machine.deliver('UserPromptSubmit', {
      session_id: 'loris',
      prompt: 'hello',
    });
    assert.equal(status, 200);
    await waitFor('all of them to be let go', () => sockets.every(({ destroyed }) => destroyed));
    assert.equal((await hub.get<'GET /team'>('/team')).configured, false);
  });
});

describe('keys', () => {
  test('are in no log and no file, and in no address after signing in', async () => {
    const link = await hub.link();
    const key = new URL(link).searchParams.get('key') ?? '';
    const entered = await hub.ask(`/enter?key=${key}`);
    assert.equal(entered.headers['location'], '/');
    assert.match(String(entered.headers['set-cookie']), /; HttpOnly; SameSite=Strict$/);
    await hub.ask('/api/memories/nothing-like-this', { headers: hub.visitor.headers });
    const secrets = [key, hub.visitor.pageKey, hub.visitor.cookie.split('=')[1] ?? ''];
    for (const file of hub.machine.files()) {
      const text = readFileSync(file, 'latin1');
      for (const secret of secrets) assert.ok(!text.includes(secret), `a key is in ${file}`);
    }
  });
});

function opened(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', reject).resume();
    // Reading to the end detects that the other side has closed.
    socket.on('end', () => socket.destroy());
  });
}
