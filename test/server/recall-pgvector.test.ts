import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { vector } from '@electric-sql/pglite-pgvector';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TeamStore } from '../../src/server/store/index.ts';
import { expectSearch } from '../support/search-expectations.ts';
import { openTeam } from '../support/team-search.ts';

/** A PostgreSQL with pgvector in this process; it allows one client at a time. */
const started = start();
after(async () => {
  const { database, store } = await started;
  await store.close();
  await database.close();
});

expectSearch({
  personal: false,
  meaning: 'all',
  open: async (memories) => openTeam((await started).store, memories),
});

test('the vector index of the database is used if it exists', async () => {
  assert.equal((await started).store.vectors, 'pgvector');
});

async function start(): Promise<{ readonly database: PGlite; readonly store: TeamStore }> {
  const database = await PGlite.create({ extensions: { vector } });
  return { database, store: await TeamStore.open({ database: { ...createPgConfig(database), max: 1 } }) };
}
