import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { vector as pgvector } from '@electric-sql/pglite-pgvector';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { randomFrom } from '../../../../test/support/random.ts';
import { entryOf, put } from '../../../../test/support/team.ts';
import { pushChanges } from '../changes.ts';
import { ensureProject } from '../projects.ts';
import { TeamStore } from '../store.ts';
import { createTeam } from '../teams.ts';
import type { Caller, Work } from '../work.ts';
import { nearestOf } from './nearest.ts';
import { DIMENSIONS } from './pgvector.ts';
import { putVectors, waitingTexts } from './vectors.ts';

const MODEL = 'test';
const ROWS = 150;
const { next: random } = randomFrom(7);
const vectors = Array.from({ length: ROWS }, () =>
  unit(Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)),
);
/** Almost equal to the tenth vector. */
const asked = {
  model: MODEL,
  vector: unit((vectors[10] ?? new Float32Array()).map((value) => value + 0.001)),
};
let database: PGlite;
let store: TeamStore;
let ada: Caller;
let eve: Caller;
/** The number of the row that has the tenth vector. */
let tenth = 0;

before(async () => {
  database = await PGlite.create({ extensions: { vector: pgvector } });
  store = await TeamStore.open({ database: { ...createPgConfig(database), max: 1 } });
  ada = await createTeam(store, { name: 'Acme', owner: 'Ada' });
  eve = await createTeam(store, { name: 'Zeta', owner: 'Eve' });
  await store.transaction(ada, async (work) => {
    const { id } = await ensureProject(work, { name: 'boats', keys: ['key:boats'] });
    const changes = vectors.map((_, i) => put(entryOf(`Entry ${i}`)));
    await pushChanges(work, id, { changes, idempotencyKey: 'all of them' });
    const waiting = (await waitingTexts(work, ROWS)).toSorted((a, b) => a.number - b.number);
    tenth = waiting[10]?.number ?? 0;
    const made = waiting.map((one, i) => ({ ...one, vector: vectors[i] ?? new Float32Array() }));
    await putVectors(work, { model: MODEL, mode: store.vectors }, made);
  });
  await database.exec('ANALYZE');
});
after(async () => {
  await store.close();
  await database.close();
});

test('above the limit for a full comparison the plan uses the vector index', async () => {
  const { found, plan } = await nearest(ada, ROWS - 1);
  assert.ok(plan.includes('Index Scan using memory_vector_nearest'));
  assert.equal(found[0], tenth);
});

test('up to the limit all vectors are compared, with the same result', async () => {
  const [exact, indexed] = [await nearest(ada, ROWS), await nearest(ada, ROWS - 1)];
  assert.ok(!exact.plan.includes('memory_vector_nearest'));
  assert.deepEqual(exact.found.slice(0, 5), indexed.found.slice(0, 5));
});

test('the vector index holds all teams and returns no rows of another team', async () => {
  const { found, plan } = await nearest(eve, -1);
  assert.ok(plan.includes('memory_vector_nearest'));
  assert.deepEqual(found, []);
});

/** Returns the found rows and the plan of the statement, from the same transaction and role. */
function nearest(caller: Caller, exactUpTo: number): Promise<{ found: readonly number[]; plan: string }> {
  return store.transaction(
    caller,
    async (work) => {
      // With few rows PostgreSQL prefers to read and sort; this checks that it can use the index.
      await work.row("SELECT set_config('enable_sort', 'off', true)");
      let plan = '';
      const listening: Work = {
        ...work,
        rows: async (statement, values) => {
          const explained = await work.rows(`EXPLAIN ${statement}`, values);
          plan += explained.map((row) => String(row['QUERY PLAN'])).join('\n');
          return work.rows(statement, values);
        },
      };
      const found = await nearestOf(listening, store.vectors, asked, [{}], 10, exactUpTo);
      return { found, plan };
    },
    { readOnly: true },
  );
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
