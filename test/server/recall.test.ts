import assert from 'node:assert/strict';
import { after } from 'node:test';
import { TeamStore } from '../../src/server/store/index.ts';
import { HAS_PGVECTOR, postgresql, startPostgres } from '../support/postgres.ts';
import { expectSearch } from '../support/search-expectations.ts';
import { openTeam } from '../support/team-search.ts';

const { skip } = postgresql;
/** One database for all tests: each team must find only its own memories. */
const started = skip ? undefined : start();
after(async () => (await started)?.end());

/** The same expectations as for the local index in src/recall/search.test.ts. */
expectSearch({
  skip,
  personal: false,
  meaning: HAS_PGVECTOR ? 'all' : 'shortlist',
  open: async (memories) => openTeam(((await started) ?? assert.fail()).store, memories),
});

async function start(): Promise<{ readonly store: TeamStore; readonly end: () => Promise<void> }> {
  const postgres = await startPostgres();
  const store = await TeamStore.open({ database: await postgres.newOwnedDatabase() });
  const end = async (): Promise<void> => {
    await store.close();
    await postgres.remove();
  };
  return { store, end };
}
