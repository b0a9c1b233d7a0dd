/** Version clocks on a real PostgreSQL: bounded on push, and repaired if an older server stored them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import {
  CLOCK_MARGIN_MS,
  type PullAnswer,
  type PushAnswer,
  type SharedProject,
} from '../../src/exchange/sync/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import type { Api, Person } from './_api.ts';
import { login, openTeamHub, type TeamHub } from './_team-hub.ts';

const HUGE = Number.MAX_SAFE_INTEGER;
/** Far less than the margin, far more than the duration of a test. */
const HOUR_MS = 60 * 60_000;

const { skip } = postgresql;
let postgres: Postgres;
let database: string;
let hub: TeamHub;
let api: Api;
let made = 0;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  hub = await openTeamHub(database);
  ({ api } = hub);
});

after(async () => {
  await api?.close();
  await postgres?.remove();
});

async function project(): Promise<string> {
  const name = `clocks ${++made}`;
  const wanted = { name, keys: [`git:${name}`] };
  return (await api.ask<SharedProject>(hub.ada.key, 'POST', '/v1/projects', wanted)).body.id;
}

async function push(of: Person, to: string, changes: readonly unknown[], key = `clocks-${++made}`) {
  const asked = { changes, idempotencyKey: key };
  const answer = await api.ask<PushAnswer>(of.key, 'POST', `/v1/projects/${to}/changes`, asked);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.results;
}

async function pull(of: Person, from: string): Promise<PullAnswer> {
  const answer = await api.ask<PullAnswer>(of.key, 'GET', `/v1/projects/${from}/changes`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function sql(text: string, values: readonly unknown[]): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    assert.equal((await client.query(text, [...values])).rowCount, 1);
  } finally {
    await client.end();
  }
}

/** Stores a clock like an older server, which accepted any. */
const storedWith = (table: 'memory' | 'tombstone', id: string, clock: bigint) =>
  sql(`UPDATE tidemark.${table} SET clock = $1 WHERE id = $2`, [String(clock), id]);

test('a push refuses only the change with a clock far ahead, with a reason', { skip }, async () => {
  const to = await project();
  const now = Date.now();
  const [good, hostile, ahead] = [
    entryOf('Good', { clock: now }),
    entryOf('Hostile', { clock: HUGE }),
    entryOf('Ahead', { clock: now + CLOCK_MARGIN_MS - HOUR_MS }),
  ];
  const far = entryOf('Too far', { clock: now + CLOCK_MARGIN_MS + HOUR_MS });
  const results = await push(hub.ben, to, [good, hostile, ahead, far].map(put));
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['stored', 'refused', 'stored', 'refused'],
  );
  assert.match(results[1]?.reason ?? '', /more than a day ahead/);
  for (const op of ['tombstone', 'withdraw'] as const) {
    const change = { op, id: good.id, turn: 't', hash: 'h', version: { clock: HUGE, machine: 'm' } };
    assert.equal((await push(hub.ben, to, [change]))[0]?.outcome, 'refused', op);
  }
  const { changes, latest = 0 } = await pull(hub.ada, to);
  assert.equal(changes.length, 2);
  assert.ok(latest >= now + CLOCK_MARGIN_MS - HOUR_MS && latest <= now + CLOCK_MARGIN_MS + HOUR_MS);
});

test('a refused request is checked again when it is repeated', { skip }, async () => {
  const to = await project();
  const changes = [put(entryOf('Kept')), put(entryOf('Refused', { clock: HUGE }))];
  const outcomes = async () => (await push(hub.ben, to, changes, 'the-same-key')).map((one) => one.outcome);
  assert.deepEqual(await outcomes(), ['stored', 'refused']);
  assert.deepEqual(await outcomes(), ['same', 'refused']);
});

test('the delete route stores a clock within bounds for an entry of an older server', { skip }, async () => {
  const to = await project();
  const entry = entryOf('Stored by an older server');
  await push(hub.ben, to, [put(entry)]);
  await storedWith('memory', entry.id, BigInt(HUGE));
  const path = `/v1/projects/${to}/entries?mine=true`;
  assert.equal((await api.ask(hub.ben.key, 'DELETE', path)).status, 200);
  const { changes, latest = 0 } = await pull(hub.ada, to);
  const [ended] = changes;
  assert.ok(ended?.op === 'withdraw');
  assert.ok(ended.version.clock <= latest, String(ended.version.clock));
  const again = { ...entry, version: { clock: Date.now() + 1000, machine: 'laptop' } };
  assert.equal((await push(hub.ben, to, [put(again)]))[0]?.outcome, 'stored', 'it can be shared again');
});

test(
  'rows of an older server get the time they were stored as clock, and edits replace them',
  { skip },
  async () => {
    const to = await project();
    const began = Date.now() - HOUR_MS;
    const [changed, ended] = [entryOf('Changed'), entryOf('Ended')];
    const withdrawn = { op: 'withdraw', id: ended.id, version: { clock: 2, machine: 'laptop' } };
    await push(hub.ben, to, [put(changed), put(ended), withdrawn]);
    await storedWith('memory', changed.id, BigInt(HUGE));
    await storedWith('tombstone', ended.id, BigInt(HUGE) + 1n);
    const first = await pull(hub.ada, to);
    for (const one of first.changes) {
      const { clock } = one.op === 'put' ? one.entry.version : one.version;
      assert.ok(clock > began && clock < Date.now() + HOUR_MS, `${one.op} ${clock}`);
    }
    assert.deepEqual((await pull(hub.ada, to)).changes, first.changes, 'the same each time');
    const later = { clock: Date.now() + 1000, machine: 'desk' };
    const results = await push(hub.ada, to, [
      put({ ...changed, title: 'Changed by Ada', version: later }),
      put({ ...ended, version: later }),
    ]);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['stored', 'stored'],
    );
  },
);

test('the hub edits and forgets an entry of an older server', { skip }, async () => {
  const entry = entryOf('Edited in the hub');
  await push(hub.ben, hub.open.id, [put(entry)]);
  await storedWith('memory', entry.id, BigInt(HUGE));
  const browser = await login(hub, hub.ada);
  const change = (what: string, body: object) =>
    api.ask(undefined, 'POST', `/hub/api/memories/${entry.id}/${what}`, body, browser.headers);
  const edited = await change('edit', { patch: { title: 'By the hub' } });
  assert.equal(edited.status, 200, edited.text);
  await storedWith('memory', entry.id, BigInt(HUGE));
  const forgotten = await change('forget', {});
  assert.equal(forgotten.status, 200, forgotten.text);
  const { changes, latest = 0 } = await pull(hub.ada, hub.open.id);
  const last = changes.find((one) => one.op === 'tombstone' && one.id === entry.id);
  assert.ok(last?.op === 'tombstone' && last.version.clock <= latest);
});
