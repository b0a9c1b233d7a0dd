/** The API route by route: schemas, pages, limits, errors, log and metrics. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { safeParse } from 'valibot';
import {
  MOST_BYTES,
  WireError,
  type PullAnswer,
  type PushAnswer,
  type SharedProject,
} from '../../src/exchange/sync/index.ts';
import { readAssets } from '../../src/http/index.ts';
import { teamHub } from '../../src/server/hub/index.ts';
import { ROUTES } from '../../src/server/routes/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { Api, type Answer, type Person } from './_api.ts';
import { PAGE } from './_team-hub.ts';

const { skip } = postgresql;
let postgres: Postgres;
let api: Api;
let ada: Person;
let ben: Person;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  api = await Api.open(await postgres.newOwnedDatabase());
  ada = await api.team('Harbour', 'Ada');
  ben = await api.member(ada.team, 'Ben', 'member');
});

after(async () => {
  await api?.close();
  await postgres?.remove();
});

let made = 0;

/** Creates a project that every member may write to. */
async function project(of: Person = ada): Promise<string> {
  const name = `project ${++made}`;
  const { status, body } = await api.ask<SharedProject>(of.key, 'POST', '/v1/projects', {
    name,
    keys: [`git:${name}`],
  });
  assert.equal(status, 200);
  return body.id;
}

function push(of: Person, to: string, changes: readonly unknown[], key = `push-key-${++made}`) {
  return api.ask<PushAnswer>(of.key, 'POST', `/v1/projects/${to}/changes`, { changes, idempotencyKey: key });
}

function assertError(answer: Answer<unknown>, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.ok(safeParse(WireError, answer.body).success, answer.text);
  const { error } = answer.body as WireError;
  assert.equal(error.code, code);
  assert.ok(error.hint, 'every error has a hint');
}

test('me returns the caller, the key and the vector search of the server', { skip }, async () => {
  const { status, body } = await api.ask(ada.key, 'GET', '/v1/me');
  assert.equal(status, 200);
  const route = ROUTES.find(({ path }) => path === '/v1/me');
  assert.ok(route && safeParse(route.answer, body).success);
  assert.equal((body['team'] as { name: string }).name, 'Harbour');
});

test('two members with the same project key get the same project', { skip }, async () => {
  const wanted = { name: 'tide', keys: ['git:example.org/tide'] };
  const first = await api.ask<SharedProject>(ada.key, 'POST', '/v1/projects', wanted);
  const second = await api.ask<SharedProject>(ben.key, 'POST', '/v1/projects', { ...wanted, name: 'ebb' });
  assert.equal(second.body.id, first.body.id);
  assert.equal(second.body.access, 'write');
});

test('a private project stays private when another member asks for it', { skip }, async () => {
  const wanted = { name: 'own', keys: ['git:own'], with: 'nobody' };
  const first = await api.ask<SharedProject>(ada.key, 'POST', '/v1/projects', wanted);
  assertError(await api.ask(ben.key, 'POST', '/v1/projects', wanted), 403, 'forbidden');
  await api.ask(ada.key, 'POST', '/v1/projects', { name: 'own', keys: ['git:own'] });
  assertError(await api.ask(ben.key, 'GET', `/v1/projects/${first.body.id}/changes`), 404, 'not-found');
});

test('pushed entries are pulled in order, with their authors', { skip }, async () => {
  const to = await project();
  const pushed = await push(ada, to, [put(entryOf('Tokens rotate')), put(entryOf('Logs are JSON'))]);
  assert.deepEqual(
    pushed.body.results.map(({ outcome }) => outcome),
    ['stored', 'stored'],
  );
  const first = await api.ask<PullAnswer>(ben.key, 'GET', `/v1/projects/${to}/changes?limit=1`);
  assert.equal(first.body.changes.length, 1);
  assert.equal(first.body.more, true);
  assert.equal(first.body.changes[0]?.author.name, 'Ada');
  const rest = await api.ask<PullAnswer>(
    ben.key,
    'GET',
    `/v1/projects/${to}/changes?after=${first.body.next}`,
  );
  assert.equal(rest.body.changes.length, 1);
  assert.equal(rest.body.more, false);
  assert.equal(rest.body.next, pushed.body.cursor);
});

test('a repeated request gets the first answer and is stored and audited once', { skip }, async () => {
  const to = await project();
  await push(ada, to, [put(entryOf('Will be forgotten'))]);
  const { id, version } = entryOf('Will be forgotten', { clock: 2 });
  const forget = [{ op: 'tombstone', id, turn: 'turn', hash: 'hash', version }];
  const first = await push(ada, to, forget, 'the-same-key');
  const second = await push(ada, to, forget, 'the-same-key');
  assert.deepEqual(second.body, first.body);
  const audit = await api.ask<{ entries: { action: string; object: string }[] }>(ada.key, 'GET', '/v1/audit');
  const forgets = audit.body.entries.filter(
    ({ action, object }) => action === 'memory.forget' && object === to,
  );
  assert.equal(forgets.length, 1);
});

test('a pull says what the key may do, so that a reader sends nothing', { skip }, async () => {
  const { id } = (
    await api.ask<SharedProject>(ada.key, 'POST', '/v1/projects', { name: 'a', keys: ['git:a'] })
  ).body;
  const rea = await api.member(ada.team, 'Reader', 'reader');
  const keyOnly = await api.key(ada.team, ada.id, ['read']);
  for (const [key, access] of [
    [ada.key, 'write'],
    [rea.key, 'read'],
    [keyOnly, 'read'],
  ] as const) {
    const { body } = await api.ask<PullAnswer>(key, 'GET', `/v1/projects/${id}/changes`);
    assert.equal(body.access, access);
  }
});

test('the pages of a project list each memory once, newest first', { skip }, async () => {
  const to = await project();
  const entries = Array.from({ length: 7 }, (_, i) =>
    entryOf(`Entry ${i}`, { at: `2026-11-1${i}T09:00:00.000Z` }),
  );
  await push(ada, to, entries.map(put));
  const titles: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Answer<{ memories: { title: string }[]; cursor: string | null }> = await api.ask(
      ben.key,
      'GET',
      `/v1/projects/${to}/memories?limit=3${query}`,
    );
    titles.push(...page.body.memories.map(({ title }) => title));
    cursor = page.body.cursor;
  } while (cursor !== null);
  assert.deepEqual(titles, entries.map(({ title }) => title).toReversed());
});

test('an invalid cursor is refused', { skip }, async () => {
  const to = await project();
  for (const cursor of ['nothing', 'eA', '-1', '99999', ' ']) {
    const asked = [
      await api.ask(ada.key, 'GET', `/v1/projects?cursor=${encodeURIComponent(cursor)}`),
      await api.ask(ada.key, 'GET', `/v1/projects/${to}/memories?cursor=${encodeURIComponent(cursor)}`),
      await api.ask(ada.key, 'POST', '/v1/search', { query: 'anchor', cursor }),
      ...(cursor === '99999'
        ? []
        : [await api.ask(ada.key, 'GET', `/v1/audit?cursor=${encodeURIComponent(cursor)}`)]),
    ];
    for (const { status, body } of asked) {
      assert.equal(status, 400, cursor);
      assert.match((body as { error: { hint: string } }).error.hint, /Leave it out for the first page/);
    }
  }
});

test('search returns pages with the best hits first, with their authors', { skip }, async () => {
  const to = await project();
  // All different, because duplicates are merged in search results.
  const entries = [
    'The anchor chain is greased every spring',
    'Bergen sells the anchor chain we use',
    'A rusty anchor chain snapped in the storm of May',
    'Length of the anchor chain: seven times the depth',
    'Paint marks on the anchor chain tell how much is out',
  ].map((title) => entryOf(title));
  await push(ada, to, [...entries, entryOf('Sails are sewn in winter')].map(put));
  type Found = {
    hits: { score: number; memory: { id: string; author: { name: string } } }[];
    cursor: string | null;
  };
  const wanted = { query: 'anchor chain', project: to, limit: 2 };
  const first = await api.ask<Found>(ben.key, 'POST', '/v1/search', wanted);
  const route = ROUTES.find(({ path }) => path === '/v1/search');
  assert.ok(route && safeParse(route.answer, first.body).success, first.text);
  assert.equal(first.body.hits.length, 2);
  assert.equal(first.body.hits[0]?.memory.author.name, 'Ada');
  assert.ok(first.body.cursor);
  const second = await api.ask<Found>(ben.key, 'POST', '/v1/search', {
    ...wanted,
    cursor: first.body.cursor,
  });
  const ids = [...first.body.hits, ...second.body.hits].map(({ memory }) => memory.id);
  assert.equal(new Set(ids).size, 4);
  assert.ok(ids.every((id) => entries.some((entry) => entry.id === id)));
});

test('search merges the same fact of two members, and pull returns both entries', { skip }, async () => {
  const to = await project();
  const told = 'Barnacles are scraped off in March';
  const [of, too] = [entryOf(told), entryOf(told, { at: '2026-11-14T08:00:00.000Z', by: 'desk' })];
  await push(ada, to, [put(of)]);
  await push(ben, to, [put({ ...too, provenance: { ...too.provenance, turn: 'another-turn' } })]);
  const { body } = await api.ask<{ hits: { memory: { title: string } }[] }>(ada.key, 'POST', '/v1/search', {
    query: 'barnacles scraped',
    project: to,
  });
  assert.deepEqual(
    body.hits.map(({ memory }) => memory.title),
    [told],
  );
  const pulled = await api.ask<PullAnswer>(ada.key, 'GET', `/v1/projects/${to}/changes`);
  assert.equal(pulled.body.changes.length, 2, 'each author can withdraw their own entry');
});

test('withdrawing removes only the caller’s own entries', { skip }, async () => {
  const to = await project();
  await push(ada, to, [put(entryOf('Of Ada'))]);
  await push(ben, to, [put(entryOf('Of Ben'))]);
  const { body } = await api.ask(ben.key, 'DELETE', `/v1/projects/${to}/entries?mine=true`);
  assert.deepEqual(body, { withdrawn: 1 });
  const left = await api.ask<{ memories: { title: string }[] }>(
    ada.key,
    'GET',
    `/v1/projects/${to}/memories`,
  );
  assert.deepEqual(
    left.body.memories.map(({ title }) => title),
    ['Of Ada'],
  );
  assertError(await api.ask(ben.key, 'DELETE', `/v1/projects/${to}/entries`), 400, 'invalid');
});

test('a key is shown once and works until it is revoked', { skip }, async () => {
  const madeKey = await api.ask<{ key: { id: string }; secret: string }>(ben.key, 'POST', '/v1/keys', {
    scopes: ['read'],
    name: 'laptop',
  });
  assert.equal(madeKey.status, 201);
  const { secret, key } = madeKey.body;
  assert.equal((await api.ask(secret, 'GET', '/v1/me')).status, 200);
  const listed = await api.ask(ben.key, 'GET', '/v1/keys');
  assert.ok(listed.text.includes(key.id));
  assert.ok(!listed.text.includes(secret.split('_').slice(2).join('_')), 'the secret is not shown again');
  assert.equal((await api.ask(secret, 'DELETE', `/v1/keys/${key.id}`)).status, 200);
  assertError(await api.ask(secret, 'GET', '/v1/me'), 401, 'unauthorized');
});

test('a key cannot exceed the role of its member', { skip }, async () => {
  const reader = await api.member(ada.team, 'Rea', 'reader');
  assertError(await api.ask(reader.key, 'POST', '/v1/keys', { scopes: ['write'] }), 400, 'invalid');
  assertError(
    await api.ask(ben.key, 'POST', '/v1/keys', { scopes: ['read'], member: ada.id }),
    403,
    'forbidden',
  );
  const past = { scopes: ['read'], expiresAt: '2020-01-01T00:00:00.000Z' };
  assertError(await api.ask(ada.key, 'POST', '/v1/keys', past), 400, 'invalid');
});

test('only owners manage members, and the last owner cannot leave', { skip }, async () => {
  const cleo = await api.ask<{ id: string }>(ada.key, 'POST', '/v1/members', {
    name: 'Cleo',
    role: 'reader',
  });
  assert.equal(cleo.status, 201);
  assertError(
    await api.ask(ben.key, 'POST', '/v1/members', { name: 'Dan', role: 'owner' }),
    403,
    'forbidden',
  );
  assertError(await api.ask(ben.key, 'PATCH', `/v1/members/${ben.id}`, { role: 'owner' }), 403, 'forbidden');
  assertError(
    await api.ask(ada.key, 'PATCH', `/v1/members/${ada.id}`, { role: 'reader' }),
    409,
    'last-owner',
  );
  assertError(await api.ask(ada.key, 'DELETE', `/v1/members/${ada.id}`), 409, 'last-owner');
  assert.equal((await api.ask(ada.key, 'DELETE', `/v1/members/${cleo.body.id}`)).status, 200);
});

test('an owner who leaves or becomes a reader is in the audit log', { skip }, async () => {
  const one = await api.team('Leaving', 'One');
  const two = await api.member(one.team, 'Two', 'owner');
  const three = await api.member(one.team, 'Three', 'owner');
  const change = { name: 'Second', role: 'reader' };
  assert.equal((await api.ask(two.key, 'PATCH', `/v1/members/${two.id}`, change)).status, 200);
  assert.equal((await api.ask(three.key, 'DELETE', `/v1/members/${three.id}`)).status, 200);
  const { body } = await api.ask<{ entries: Record<string, unknown>[] }>(one.key, 'GET', '/v1/audit?limit=2');
  assert.deepEqual(
    body.entries.map(({ action, member, detail }) => [action, member, detail]),
    [
      ['member.remove', three.id, {}],
      ['member.change', two.id, change],
    ],
  );
});

test('every change of access is in the audit log with member and key', { skip }, async () => {
  const to = await project();
  await api.ask(ada.key, 'PUT', `/v1/projects/${to}/shares/${ben.id}`, { access: 'read' });
  await api.ask(ada.key, 'DELETE', `/v1/projects/${to}/shares/everyone`);
  await api.ask(ada.key, 'DELETE', `/v1/projects/${to}`);
  type Page = { entries: { action: string; object: string; member: string; key: string }[] };
  const { body } = await api.ask<Page>(ada.key, 'GET', '/v1/audit?limit=4');
  assert.deepEqual(
    body.entries.map(({ action }) => action),
    ['project.remove', 'share.remove', 'share.set', 'project.create'],
  );
  for (const entry of body.entries) {
    assert.equal(entry.object, to);
    assert.equal(entry.member, ada.id);
    assert.equal(ada.key.split('_')[1], entry.key);
  }
});

test('an invalid request is refused with the name of the field', { skip }, async () => {
  const to = await project();
  assertError(await push(ada, to, []), 400, 'invalid');
  assertError(await push(ada, to, [{ op: 'put', entry: { id: 'x' } }]), 400, 'invalid');
  assertError(await api.ask(ada.key, 'POST', '/v1/projects', '{"name"'), 400, 'invalid');
  assertError(await api.ask(ada.key, 'GET', '/v1/projects/not-a-uuid/changes'), 400, 'invalid');
  assertError(await api.ask(ada.key, 'GET', `/v1/projects/${to}/changes?after=-1`), 400, 'invalid');
  assertError(await api.ask(ada.key, 'GET', `/v1/projects/${to}/changes?limit=501`), 400, 'invalid');
  const plain = { 'content-type': 'text/plain' };
  assertError(await api.ask(ada.key, 'POST', '/v1/projects', '{}', plain), 415, 'content-type');
  assertError(await api.ask(ada.key, 'POST', '/v1/projects'), 415, 'content-type');
});

test('a body over the limit is refused with and without a content length', { skip }, async () => {
  const to = await project();
  const large = JSON.stringify({ name: 'x'.repeat(70_000), keys: [] });
  assertError(await api.ask(ada.key, 'POST', '/v1/projects', large), 413, 'too-large');
  const chunked = { 'transfer-encoding': 'chunked' };
  assertError(await api.ask(ada.key, 'POST', '/v1/projects', large, chunked), 413, 'too-large');
  const tooMuch = ' '.repeat(MOST_BYTES + 1);
  assertError(await api.ask(ada.key, 'POST', `/v1/projects/${to}/changes`, tooMuch), 413, 'too-large');
  const small = await api.ask(ada.key, 'POST', '/v1/projects', { name: 'chunked', keys: [] }, chunked);
  assert.equal(small.status, 200, small.text);
});

test('a client that sends its request too slowly is cut off', { skip }, async () => {
  const patience = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 };
  const strict = await Api.open(await postgres.newOwnedDatabase(), { patience });
  try {
    const one = await strict.team('Slow', 'One');
    const begin = `POST /v1/projects HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${one.key}\r\n`;
    const body = `content-type: application/json\r\ncontent-length: 50\r\n\r\n{"name":`;
    for (const sent of ['GET /v1/', begin, begin + body]) {
      const said = await new Promise<string>((resolve, reject) => {
        let text = '';
        const socket = connect(strict.port, '127.0.0.1', () => socket.write(sent));
        socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        socket.on('error', reject).on('close', () => resolve(text));
      });
      assert.match(said, /^HTTP\/1\.1 408 /, sent);
    }
    assert.equal((await strict.ask(one.key, 'GET', '/v1/me')).status, 200);
  } finally {
    await strict.close();
  }
});

test('no path leaves the folder of the hub or reaches a file', { skip }, async () => {
  const mounts = [teamHub(readAssets(PAGE, '/hub'))];
  const served = await Api.open(await postgres.newOwnedDatabase(), { mounts });
  try {
    for (const path of [
      '/hub/../package.json',
      '/hub/..%2f..%2f..%2fpackage.json',
      '/hub/%2e%2e/%2e%2e/package.json',
      '/hub/....//package.json',
      '/hub/..\\..\\package.json',
      '/hub//etc/passwd',
      '/hub/%00/etc/passwd',
      '//etc/passwd',
      '/v1/../../etc/passwd',
      '/v1/projects/..%2f..%2fetc%2fpasswd/changes',
    ]) {
      const answer = await served.ask(undefined, 'GET', path);
      assert.ok([400, 401, 403, 404].includes(answer.status), `${path} ${answer.status}`);
      assert.doesNotMatch(answer.text, /^root:|"tidemark",\s*"version"/m, path);
    }
  } finally {
    await served.close();
  }
});

test('an unknown path answers 404, an unknown method 405', { skip }, async () => {
  assertError(await api.ask(ada.key, 'GET', '/v2/me'), 404, 'not-found');
  const answer = await api.ask(ada.key, 'PATCH', '/v1/projects');
  assertError(answer, 405, 'method');
  assert.equal(answer.headers['allow'], 'GET, POST');
});

test('the rate limit applies to one key, not to others', { skip }, async () => {
  const now = new Date();
  const rate = { perSecond: 0.01, burst: 3 };
  const limited = await Api.open(await postgres.newOwnedDatabase(), { rate, now: () => now });
  try {
    const one = await limited.team('Quick', 'One');
    const other = await limited.member(one.team, 'Other', 'member');
    for (let i = 0; i < 3; i++) assert.equal((await limited.ask(one.key, 'GET', '/v1/me')).status, 200);
    const refused = await limited.ask(one.key, 'GET', '/v1/me');
    assertError(refused, 429, 'too-many');
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await limited.ask(other.key, 'GET', '/v1/me')).status, 200);
  } finally {
    await limited.close();
  }
});

test('after too many wrong keys an address has to wait, but not with a right key', { skip }, async () => {
  // With a fixed clock, so that a slow machine does not earn another attempt.
  const now = new Date();
  const tried = await Api.open(await postgres.newOwnedDatabase(), { now: () => now });
  try {
    const one = await tried.team('Tried', 'One');
    const statuses = [];
    const guess = `${one.key.slice(0, -1)}${one.key.endsWith('A') ? 'E' : 'A'}`;
    for (const wrong of ['tmk_guess', `tmk_aaaaaaaaaaaa_${'A'.repeat(43)}`, guess])
      for (let i = 0; i < 15; i++) statuses.push((await tried.ask(wrong, 'GET', '/v1/me')).status);
    assert.deepEqual(new Set(statuses), new Set([401, 429]));
    assertError(await tried.ask(guess, 'GET', '/v1/me'), 429, 'too-many');
    const two = await tried.member(one.team, 'Two', 'member');
    for (const { key } of [one, two]) assert.equal((await tried.ask(key, 'GET', '/v1/me')).status, 200);
    const flood = Array.from({ length: 40 }, () => tried.ask(guess, 'GET', '/v1/me'));
    const fresh = await tried.member(one.team, 'Three', 'member');
    assert.equal((await tried.ask(fresh.key, 'GET', '/v1/me')).status, 200, 'a new key during a flood');
    for (const { status } of await Promise.all(flood)) assert.equal(status, 429);
    const refused = tried.log.filter((line) => line.includes('"key refused"'));
    assert.equal(refused.length, statuses.filter((status) => status === 401).length);
    assert.match(refused[0] ?? '', /"from":"127\.0\.0\.1"/);
    assert.ok(!tried.log.join('').includes(one.key.slice(-20)));
  } finally {
    await tried.close();
  }
});

test('health, readiness and metrics', { skip }, async () => {
  assert.equal((await api.ask(undefined, 'GET', '/healthz')).body['status'], 'ok');
  assert.equal((await api.ask(undefined, 'GET', '/readyz')).body['status'], 'ready');
  const { text, headers } = await api.ask(undefined, 'GET', '/metrics');
  assert.match(headers['content-type'] ?? '', /^text\/plain/);
  assert.match(text, /^tidemark_http_requests_total\{method="GET",route="\/v1\/me",status="200"\} \d+$/m);
  assert.match(text, /^tidemark_pool_connections \d+$/m);
});

test('behind a proxy metrics need a key with the scope admin', { skip }, async () => {
  const proxied = await Api.open(await postgres.newOwnedDatabase(), { behindProxy: true });
  try {
    const one = await proxied.team('Proxied', 'One');
    assertError(await proxied.ask(undefined, 'GET', '/metrics'), 401, 'unauthorized');
    assert.equal((await proxied.ask(one.key, 'GET', '/metrics')).status, 200);
  } finally {
    await proxied.close();
  }
});

test('every answer has the security headers for browsers', { skip }, async () => {
  for (const path of ['/healthz', '/v1/me', '/nothing']) {
    const { headers } = await api.ask(undefined, 'GET', path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.ok(headers['x-request-id']);
  }
});

test('the log contains neither keys nor texts', { skip }, async () => {
  const to = await project();
  await push(ada, to, [put(entryOf('A title nobody else may read'))]);
  await api.ask(ada.key, 'POST', `/v1/projects/${to}/changes`, '{"title": "a broken secret');
  await api.ask(ada.key, 'GET', `/v1/projects/${to}/memories?cursor=searched-for-this`);
  const log = api.log.join('');
  for (const line of api.log) JSON.parse(line);
  assert.match(log, /"route":"\/v1\/projects\/:project\/changes"/);
  for (const secret of [
    ada.key.split('_').slice(2).join('_'),
    'nobody else',
    'broken secret',
    'searched-for-this',
  ])
    assert.ok(!log.includes(secret), secret);
});
