/** A real PostgreSQL with pgvector. The suite `pgvector` runs more of the server's tests on one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
import { part } from '../support/parts.ts';
import { pgvector, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';

const plain = part('postgresql');
const skip = plain.skip ?? pgvector.skip;
const DIMENSIONS = 384;
/** A simulated model: texts about the sea get one vector, all others another. */
const embedder = {
  name: 'played:sea',
  dimensions: DIMENSIONS,
  warm: () => {},
  close: async () => {},
  embed: async (texts: readonly string[]) =>
    texts.map((text) =>
      Float32Array.from({ length: DIMENSIONS }, (_, i) => Number(i === (/sea|harbour/i.test(text) ? 1 : 2))),
    ),
};

test('a database that gets pgvector later finds by meaning after a restart', { skip }, async () => {
  // PostgreSQL may run as another user, who can enter neither the run's folder nor one of root.
  const folder = mkdtempSync(join(process.getuid?.() === 0 ? '/tmp' : tmpdir(), 'tm-pg-'));
  try {
    const { name, caller } = await inPostgres(folder, plain.path, async (postgres) => {
      const database = await postgres.newOwnedDatabase();
      return inStore(database, async (store) => {
        assert.equal(store.vectors, 'rescoring');
        const made = await createTeam(store, { name: 'Acme', owner: 'Ada' });
        await push(store, made, 'The harbour opens at nine');
        await settled(store, made);
        assert.deepEqual(await titles(store, made, 'sea'), []);
        return { name: new URL(database).pathname.slice(1), caller: made };
      });
    });
    await inPostgres(folder, pgvector.path, async (postgres) => {
      // Its owner may not create the extension, as the guide says.
      await inStore(postgres.urlOf(name, name), async (store) => assert.equal(store.vectors, 'rescoring'));
      await createExtension(postgres.urlOf(name));
      await inStore(postgres.urlOf(name, name), async (store) => {
        assert.equal(store.vectors, 'pgvector');
        await push(store, caller, 'Invoices are sent on Mondays');
        await settled(store, caller);
        assert.deepEqual(await titles(store, caller, 'sea'), ['The harbour opens at nine']);
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function inPostgres<T>(
  folder: string,
  programs: string,
  work: (postgres: Postgres) => Promise<T>,
): Promise<T> {
  const postgres = await startPostgres({ folder, programs });
  try {
    return await work(postgres);
  } finally {
    await postgres.remove();
  }
}

async function inStore<T>(database: string, work: (store: TeamStore) => Promise<T>): Promise<T> {
  const store = await TeamStore.open({ database });
  try {
    store.useEmbedder(embedder, (error) => assert.fail(String(error)));
    return await work(store);
  } finally {
    await store.close();
  }
}

async function createExtension(database: string): Promise<void> {
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query('CREATE EXTENSION vector');
  await client.end();
}

function push(store: TeamStore, caller: Caller, title: string): Promise<unknown> {
  return store.transaction(caller, async (work) => {
    const { id } = await ensureProject(work, { name: 'boats', keys: ['key:boats'] });
    await pushChanges(work, id, { changes: [put(entryOf(title))], idempotencyKey: `request ${title}` });
  });
}

function settled(store: TeamStore, caller: Caller): Promise<unknown> {
  const waiting = () =>
    store.transaction(caller, (work) => work.rows('SELECT 1 FROM tidemark.unembedded'), { readOnly: true });
  return waitFor('all vectors', async () => (await waiting()).length === 0);
}

async function titles(store: TeamStore, caller: Caller, text: string): Promise<readonly string[]> {
  const vector = await store.vectorOf(text);
  const options = { now: new Date('2026-11-15T12:00:00Z'), ...given({ vector }) };
  const { hits } = await store.transaction(
    caller,
    (work) => searchMemories(work, store.vectors, text, options),
    { readOnly: true },
  );
  return hits.filter(({ cosine = 0 }) => cosine > 0.9).map(({ memory }) => memory.title);
}
