/** A PostgreSQL that accepts connections but does not answer: stopped processes, as on a machine without memory or disk. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test, type TestContext } from 'node:test';
import type { PullAnswer, SharedProject } from '../../src/exchange/sync/index.ts';
import { inspect, TeamStore } from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import { Api, type Person } from './_api.ts';

const { skip } = postgresql;
/** Short, so that the test does not wait; the default is less than a client waits. */
const LIMITS = { transactionMs: 3000, checkMs: 2000 };
let postgres: Postgres;
let api: Api;
let ada: Person;
let project: string;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  api = await Api.open(await postgres.newOwnedDatabase(), { limits: LIMITS });
  ada = await api.team('Acme', 'Ada');
  const wanted = { name: 'p', keys: ['git:p'] };
  project = (await api.ask<SharedProject>(ada.key, 'POST', '/v1/projects', wanted)).body.id;
});
after(async () => {
  await api?.close();
  await postgres?.remove();
});

/** Stops PostgreSQL with all its processes. @returns a function that lets it continue */
function freeze(t: TestContext): () => void {
  const stopped: number[] = [];
  const stop = (pid: number): void => {
    process.kill(pid, 'SIGSTOP');
    stopped.push(pid);
  };
  stop(postgres.pid); // it starts no more processes
  for (const child of childrenOf(postgres.pid)) stop(child);
  const thaw = (): void => {
    for (const pid of stopped.splice(0).toReversed()) process.kill(pid, 'SIGCONT');
  };
  t.after(thaw);
  return thaw;
}

function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

const push = (title: string) =>
  api.ask(ada.key, 'POST', `/v1/projects/${project}/changes`, {
    changes: [put(entryOf(title))],
    idempotencyKey: `frozen: ${title}`,
  });

test('requests end with 503 and Retry-After, and work again once it continues', { skip }, async (t) => {
  assert.equal((await push('Before')).status, 200);
  const thaw = freeze(t);
  const answers = await Promise.all([
    push('During'),
    ...Array.from({ length: 30 }, () => api.ask(ada.key, 'GET', '/v1/me')),
    api.ask(undefined, 'GET', '/readyz'),
  ]);
  for (const { status, headers, text } of answers) {
    assert.equal(status, 503, text);
    assert.ok(Number(headers['retry-after']) > 0);
  }
  assert.equal((await api.ask(undefined, 'GET', '/healthz')).status, 200, 'the process itself is alive');
  assert.equal((await api.ask(undefined, 'GET', '/readyz')).status, 503);
  assert.equal(api.store.load.waiting, 0);
  assert.equal(api.store.load.idle, api.store.load.connections, 'no connection is left in use');
  thaw();
  await waitFor(
    'the server to be ready',
    async () => (await api.ask(undefined, 'GET', '/readyz')).status === 200,
  );
  assert.equal((await push('During')).status, 200, 'a client sends the same request again');
  const { body } = await api.ask<PullAnswer>(ada.key, 'GET', `/v1/projects/${project}/changes`);
  const titles = body.changes.map((change) => change.op === 'put' && change.entry.title);
  assert.deepEqual(titles, ['Before', 'During']);
});

test('a single frozen connection is discarded and does not stop the others', { skip }, async (t) => {
  const [first] = await api.store.transaction({ team: ada.team, member: ada.id }, (work) =>
    work.rows('SELECT pg_backend_pid() AS pid'),
  );
  const pid = Number(first?.['pid']);
  process.kill(pid, 'SIGSTOP');
  t.after(() => process.kill(pid, 'SIGCONT'));
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await api.ask(ada.key, 'GET', '/v1/me')).status);
  assert.ok(statuses.filter((status) => status === 503).length <= 1, String(statuses));
  assert.equal(statuses.at(-1), 200);
});

test('a store closes while the database is frozen', { skip }, async (t) => {
  const store = await TeamStore.open({ database: await postgres.newOwnedDatabase(), limits: LIMITS });
  await store.migration();
  freeze(t);
  await store.close();
});

test('the operator gets the reason, not a program that hangs', { skip }, async (t) => {
  const database = await postgres.newOwnedDatabase();
  freeze(t);
  await assert.rejects(
    inspect(database, async () => {}),
    {
      code: 'database-unavailable',
      message: 'the database does not answer in time',
      hint: /PostgreSQL runs/,
    },
  );
});
