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
import type { Ask } from '../schema/roles.ts';
import type { Caller, Row, Work } from '../work.ts';
import { nearestOf } from './nearest.ts';
import { DIMENSIONS, indexPartition } from './pgvector.ts';
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
  do eve = await createTeam(store, { name: 'Zeta', owner: 'Eve' });
  while ((await partitionOf(eve)) !== (await partitionOf(ada)));
  await store.transaction(ada, async (work) => {
    const { id } = await ensureProject(work, { name: 'boats', keys: ['key:boats'] });
    const changes = vectors.map((_, i) => put(entryOf(`Entry ${i}`)));
    await pushChanges(work, id, { changes, idempotencyKey: 'all of them' });
    const waiting = (await waitingTexts(work, ROWS)).toSorted((a, b) => a.number - b.number);
    tenth = waiting[10]?.number ?? 0;
    const made = waiting.map((one, i) => ({ ...one, vector: vectors[i] ?? new Float32Array() }));
    await putVectors(work, { model: MODEL, mode: store.vectors }, made);
  });
  await indexPartition((text, values) => database.query(text, values && [...values]), ada.team);
  await database.exec('ANALYZE');
});
after(async () => {
  await store.close();
  await database.close();
});

test('above the limit for a full comparison the plan uses the vector index', async () => {
  const { found, plan } = await nearest(ada, ROWS - 1);
  assert.match(plan, /Index Scan using memory_vector_p\d\d_nearest/);
  assert.equal(found[0], tenth);
});

test('up to the limit all vectors are compared, with the same result', async () => {
  const [exact, indexed] = [await nearest(ada, ROWS), await nearest(ada, ROWS - 1)];
  assert.doesNotMatch(exact.plan, /_nearest/);
  assert.deepEqual(exact.found.slice(0, 5), indexed.found.slice(0, 5));
});

test('the vector index of a partition contains several teams and returns no rows of another team', async () => {
  const { found, plan } = await nearest(eve, -1);
  assert.match(plan, /_nearest/);
  assert.deepEqual(found, []);
});

test('the index of a partition is built once, and again if a build was interrupted', async () => {
  const ask: Ask = (text, values) => database.query(text, values && [...values]);
  const name = `tidemark.memory_vector_${await partitionOf(ada)}_nearest`;
  const index = async () => {
    const { rows } = await ask(
      'SELECT indexrelid, indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
      [name],
    );
    return rows[0];
  };
  const first = await index();
  await indexPartition(ask, ada.team);
  assert.deepEqual(await index(), first);
  await ask('UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass($1)', [name]);
  await indexPartition(ask, ada.team);
  const again = await index();
  assert.equal(again?.['indisvalid'], true);
  assert.notEqual(again['indexrelid'], first?.['indexrelid']);
});

async function partitionOf({ team }: Caller): Promise<unknown> {
  const { rows } = await database.query<Row>('SELECT tidemark.partition_of($1::uuid) AS part', [team]);
  return rows[0]?.['part'];
}

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
