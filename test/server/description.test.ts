/** Provokes every documented answer of the API and checks it against its schema. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Client } from 'pg';
import type { SharedProject } from '../../src/exchange/sync/index.ts';
import { ROUTES } from '../../src/server/routes/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { Api, type Answer, type Person } from './_api.ts';
import { answered, described } from './_description.ts';
import { samples } from './_samples.ts';

const { skip } = postgresql;
let postgres: Postgres;
let database: string;
let api: Api;
let ada: Person;
let place: { readonly id: string; readonly memory: string };

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  api = await Api.open(database, { behindProxy: true });
  ada = await api.team('Harbour', 'Ada');
  const { body } = await ask('POST', '/v1/projects', { name: 'kept', keys: ['git:kept'] });
  const entry = entryOf('The lantern0 is lit at dusk');
  await ask('POST', `/v1/projects/${String(body['id'])}/changes`, {
    changes: [put(entry)],
    idempotencyKey: 'of-the-lantern',
  });
  place = { id: String(body['id']), memory: entry.id };
});

after(async () => {
  await api?.close();
  await postgres?.remove();
});

let addresses = 0;
/** Uses a new address each time, because the guard blocks an address after a few wrong keys. */
function ask(method: string, path: string, body?: unknown, key: string | undefined = ada.key, to = api) {
  const from = { 'x-forwarded-for': `10.1.${addresses >> 8}.${addresses++ & 255}` };
  return to.ask(key, method, path, body, from);
}

async function everyRoute(
  expected: number,
  answer: (sample: ReturnType<typeof samples>[number]) => Promise<Answer>,
) {
  for (const sample of samples(ada, place)) {
    const { status, text } = await answer(sample);
    assert.equal(status, expected, `${sample.method} ${sample.path} ${text}`);
  }
}

test('the served description is valid OpenAPI', { skip }, async () => {
  const { body } = await ask('GET', '/v1/openapi.json');
  const { valid, errors } = await new Validator().validate(structuredClone(body));
  assert.ok(valid, JSON.stringify(errors));
});

test('every route answers a valid request', { skip }, async () => {
  const { body: project } = await api.ask<SharedProject>(ada.key, 'POST', '/v1/projects', {
    name: 'for a while',
    keys: ['git:while'],
  });
  const { body: sam } = await ask('POST', '/v1/members', { name: 'Sam', role: 'reader' });
  const { body: made } = await ask('POST', '/v1/keys', { scopes: ['read'] });
  const key = (made['key'] as { id: string }).id;
  const entry = entryOf('Kept for a while');
  const within = `/v1/projects/${project.id}`;
  const wanted: readonly (readonly [string, string, unknown?])[] = [
    ['POST', `${within}/changes`, { changes: [put(entry)], idempotencyKey: 'for-a-while' }],
    ['GET', `${within}/changes`],
    ['POST', '/v1/changes/wait', { projects: [{ id: project.id, after: 0 }] }],
    ['GET', `${within}/memories`],
    ['GET', `/v1/memories/${entry.id}`],
    ['POST', '/v1/search', { query: 'kept for a while' }],
    ['PUT', `${within}/shares/${String(sam['id'])}`, { access: 'read' }],
    ['GET', `${within}/shares`],
    ['DELETE', `${within}/shares/${String(sam['id'])}`],
    ['DELETE', `${within}/entries?mine=true`],
    ['GET', `${within}/changes`],
    ['DELETE', within],
    ['GET', '/v1/projects'],
    ['PATCH', `/v1/members/${String(sam['id'])}`, { role: 'member' }],
    ['DELETE', `/v1/members/${String(sam['id'])}`],
    ['GET', '/v1/members'],
    ['PUT', '/v1/team/settings', { settings: { 'notes.review': true, 'retention.audit': null } }],
    ['GET', '/v1/team/settings'],
    ['GET', '/v1/keys'],
    ['DELETE', `/v1/keys/${key}`],
    ['GET', '/v1/keys'],
    ['GET', '/v1/audit'],
    ['POST', '/v1/hub/links'],
    ['GET', '/v1/me'],
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
  ];
  for (const [method, path, body] of wanted) {
    const { status, text } = await ask(method, path, body);
    assert.ok(status < 300, `${method} ${path} ${text}`);
  }
});

test('every route refuses a missing key and a missing scope', { skip }, async () => {
  await everyRoute(401, ({ method, path, body }) => ask(method, path, body, ''));
  assert.equal((await ask('GET', '/metrics', undefined, '')).status, 401);
  for (const scope of ['read', 'write', 'admin'] as const) {
    const others = (['read', 'write', 'admin'] as const).filter((one) => one !== scope);
    const key = await api.key(ada.team, ada.id, others);
    const routes = ROUTES.filter((route) => route.scope === scope);
    for (const { method, route, path, body } of samples(ada, place))
      if (routes.some((one) => one.method === method && one.path === route))
        assert.equal((await ask(method, path, body, key)).status, 403, `${method} ${path}`);
    if (scope === 'admin') assert.equal((await ask('GET', '/metrics', undefined, key)).status, 403);
  }
});

test('every route refuses invalid, too large and non-JSON bodies', { skip }, async () => {
  for (const { method, path: route, params, query, body, largest = 64 * 1024 } of ROUTES) {
    const sample = samples(ada, place).find((one) => one.method === method && one.route === route);
    assert.ok(sample);
    const [straight = ''] = sample.path.split('?');
    const wrong = params ? route.replace(/:\w+/g, '!') : query ? `${straight}?limit=none` : straight;
    if (params || query || body)
      assert.equal((await ask(method, wrong, body && '{"half')).status, 400, `${method} ${wrong}`);
    if (!body) continue;
    assert.equal((await ask(method, sample.path, ' '.repeat(largest + 1))).status, 413, sample.path);
    const plain = { 'content-type': 'text/plain' };
    assert.equal((await api.ask(ada.key, method, sample.path, '{}', plain)).status, 415, sample.path);
  }
});

test('routes answer 404 for unknown ids and 409 for conflicts', { skip }, async () => {
  const nobody = randomUUID();
  for (const { method, route, body } of samples(ada, place)) {
    const path = route
      .replace(':id', entryOf('Never said').id)
      .replace(':key', 'aaaaaaaaaaaa')
      .replace(/:\w+/g, nobody);
    if (path === route) continue;
    const query = route.endsWith('/entries') ? '?mine=true' : '';
    assert.equal((await ask(method, path + query, body)).status, 404, `${method} ${path}`);
  }
  assert.equal((await ask('POST', '/v1/search', { query: 'x', project: nobody })).status, 404);
  assert.equal((await ask('POST', '/v1/keys', { member: nobody, scopes: ['read'] })).status, 404);
  assert.equal((await ask('POST', '/v1/members', { name: 'ADA', role: 'reader' })).status, 409);
  assert.equal((await ask('PATCH', `/v1/members/${ada.id}`, { role: 'reader' })).status, 409);
  assert.equal((await ask('DELETE', `/v1/members/${ada.id}`)).status, 409);
});

test('every route answers 429 above the rate limit', { skip }, async () => {
  const strict = await Api.open(database, { behindProxy: true, rate: { perSecond: 0.001, burst: 1 } });
  try {
    await ask('GET', '/v1/me', undefined, ada.key, strict);
    await everyRoute(429, ({ method, path, body }) => ask(method, path, body, ada.key, strict));
    assert.equal((await ask('GET', '/metrics', undefined, ada.key, strict)).status, 429);
  } finally {
    await strict.close();
  }
});

test('every route answers 502 for a database error and 503 without a database', { skip }, async () => {
  const superuser = new Client({ connectionString: database });
  superuser.on('error', () => {});
  await superuser.connect();
  await superuser.query('ALTER FUNCTION tidemark.key_by_id RENAME TO key_by_id_elsewhere');
  await everyRoute(502, ({ method, path, body }) => ask(method, path, body));
  assert.equal((await ask('GET', '/metrics')).status, 502);
  await superuser.query('ALTER FUNCTION tidemark.key_by_id_elsewhere RENAME TO key_by_id');
  await superuser.end();
  await postgres.stop();
  await everyRoute(503, ({ method, path, body }) => ask(method, path, body));
  for (const path of ['/readyz', '/metrics']) assert.equal((await ask('GET', path)).status, 503);
  await postgres.start();
});

test('every documented answer was received', { skip }, () => {
  assert.deepEqual(
    described.filter((one) => !answered.has(one)),
    [],
  );
});
