import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { given } from '../../src/core/index.ts';
import {
  createTeam,
  ensureProject,
  pushChanges,
  searchMemories,
  TeamStore,
  type Caller,
} from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';

const { skip } = postgresql;
const DIMENSIONS = 384;
let postgres: Postgres;
let store: TeamStore;
let ada: Caller;
let project = '';
const failures: unknown[] = [];
/** A simulated model: texts about the sea get one vector, all others another. */
const embedded: string[] = [];
let broken = false;
const embedder = {
  name: 'played:sea',
  dimensions: DIMENSIONS,
  warm: () => {},
  close: async () => {},
  embed: async (texts: readonly string[]) => {
    if (broken) throw new Error('no model today');
    embedded.push(...texts);
    return texts.map((text) =>
      Float32Array.from({ length: DIMENSIONS }, (_, i) =>
        Number(i === (/sea|harbour|tide/i.test(text) ? 1 : 2)),
      ),
    );
  },
};

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  store = await TeamStore.open({ database: await postgres.newDatabase() });
  store.useEmbedder(embedder, (error) => failures.push(error));
  ada = await createTeam(store, { name: 'Acme', owner: 'Ada' });
  const wanted = { name: 'boats', keys: ['key:boats'] };
  project = (await store.transaction(ada, (work) => ensureProject(work, wanted))).id;
});
after(async () => {
  await store?.close();
  await postgres?.remove();
});

const push = (key: string, ...entries: Parameters<typeof put>[0][]) =>
  store.transaction(ada, (work) =>
    pushChanges(work, project, { changes: entries.map(put), idempotencyKey: `request ${key}` }),
  );
const settled = (of = store, caller = ada) =>
  waitFor('all vectors', () =>
    of.transaction(
      caller,
      async (work) => (await work.rows('SELECT 1 FROM tidemark.unembedded')).length === 0,
      { readOnly: true },
    ),
  );
const find = async (text: string) => {
  const vector = await store.vectorOf(text);
  const options = { now: new Date('2026-11-15T12:00:00Z'), ...given({ vector }) };
  return store.transaction(ada, (work) => searchMemories(work, store.vectors, text, options), {
    readOnly: true,
  });
};

test('pushed texts get vectors in the background, and searches use them', { skip }, async () => {
  await push('first', entryOf('The harbour opens at low tide'), entryOf('The office opens at nine'));
  await settled();
  const { hits } = await find('when does it open at the sea');
  assert.equal(hits[0]?.memory.title, 'The harbour opens at low tide');
  assert.ok((hits[0]?.cosine ?? 0) > 0.9);
});

test('a changed text gets one new vector', { skip }, async () => {
  const before = embedded.length;
  await push('second', entryOf('The office opens at nine', { body: 'And closes at five.', clock: 2 }));
  await settled();
  assert.deepEqual(embedded.slice(before), ['The office opens at nine\nAnd closes at five.']);
});

test('only vectors without concepts are computed again, and are used until then', { skip }, async () => {
  const database = await postgres.newDatabase();
  const first = await TeamStore.open({ database });
  const never = (error: unknown) => assert.fail(String(error));
  first.useEmbedder(embedder, never);
  const owner = await createTeam(first, { name: 'Older', owner: 'Ada' });
  const wanted = { name: 'boats', keys: ['key:boats'] };
  const { id } = await first.transaction(owner, (work) => ensureProject(work, wanted));
  const changes = [
    put(entryOf('Gates are green')),
    put(entryOf('Locks are red', { concepts: ['stuck at low water', 'boat aground'] })),
  ];
  const idempotencyKey = 'request of before';
  await first.transaction(owner, (work) => pushChanges(work, id, { changes, idempotencyKey }));
  await settled(first, owner);
  await first.close();
  const older = new Client({ connectionString: database });
  await older.connect();
  // As migration 9 leaves the vectors of earlier releases.
  await older.query('UPDATE tidemark.memory_vector SET made_of = DEFAULT');
  await older.end();

  const before = embedded.length;
  const second = await TeamStore.open({ database });
  try {
    const kept = () =>
      second.transaction(owner, (work) => work.rows('SELECT 1 FROM tidemark.memory_vector'), {
        readOnly: true,
      });
    assert.equal((await kept()).length, 2);
    second.useEmbedder(embedder, never);
    const more = { changes: [put(entryOf('Buoys are yellow'))], idempotencyKey: 'request of after' };
    await second.transaction(owner, (work) => pushChanges(work, id, more));
    await waitFor('the vector of the phrases', () => embedded.slice(before).length === 2);
    await settled(second, owner);
    assert.deepEqual(
      embedded
        .slice(before)
        .map((text) => text.split('\n').at(0))
        .toSorted(),
      ['Buoys are yellow', 'Locks are red'],
    );
    assert.ok(embedded.slice(before).some((text) => text.endsWith('\nstuck at low water, boat aground')));
    assert.equal((await kept()).length, 3);
  } finally {
    await second.close();
  }
});

test('without a model search uses words, and missing vectors are computed later', { skip }, async () => {
  broken = true;
  await push('third', entryOf('Seagulls steal sandwiches'));
  await waitFor('the failure', () => failures.length > 0);
  const { hits } = await find('seagulls sandwiches');
  assert.equal(hits[0]?.memory.title, 'Seagulls steal sandwiches');
  assert.equal(hits[0]?.cosine, undefined);
  broken = false;
  await push('fourth', entryOf('Gates are green'));
  await settled();
});
