/** The counters of memories agree with the memories after every kind of change, and the counts built on them are right. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AGENTS, MEMORY_KINDS } from '../../src/core/index.ts';
import type { Change, WireEntry } from '../../src/exchange/sync/index.ts';
import {
  browse,
  COUNTED_AGENTS,
  countMemories,
  countsByTime,
  createTeam,
  ensureProject,
  facets,
  MIGRATIONS,
  pushChanges,
  removeProject,
  TeamStore,
  withdrawOwn,
  type Caller,
} from '../../src/server/store/index.ts';
import { zoneDays } from '../../src/recall/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { randomFrom } from '../support/random.ts';
import { entryOf, put } from '../support/team.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
const STATES = ['current', 'open', 'resolved', 'superseded'] as const;
const KEY = 'team_id::text, project_id::text';
const AGENT = `CASE WHEN agent = ANY (ARRAY[${COUNTED_AGENTS.map((name) => `'${name}'`).join(', ')}]) THEN agent ELSE 'other' END`;
let postgres: Postgres;
let database: string;
let store: TeamStore;
let ada: Caller;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  store = await TeamStore.open({ database });
  ada = await createTeam(store, { name: 'Acme', owner: 'Ada' });
});
after(async () => {
  await store?.close();
  await postgres?.remove();
});

test(
  'the counters agree with the memories after pushes, edits, withdrawals and removals',
  { skip },
  async () => {
    const { next: random } = randomFrom(22);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const [one, two] = [await newProject('one'), await newProject('two')];
    const clocks = new Map<string, number>();
    const entry = (i: number): WireEntry => {
      const base = entryOf(`Memory ${i}`, { at: `2026-11-15T09:30:00.000Z` });
      const clock = (clocks.get(base.id) ?? 0) + 1;
      clocks.set(base.id, clock);
      const at = new Date(Date.UTC(2026, 9, 1) + Math.floor(random() * 40 * 24 * 60) * 60_000).toISOString();
      return {
        ...base,
        kind: pick(MEMORY_KINDS),
        state: pick(STATES),
        at,
        provenance: { ...base.provenance, agent: pick(['claude-code', 'codex', 'invented', `made up ${i}`]) },
        version: { clock, machine: 'laptop' },
      };
    };
    for (let round = 0; round < 12; round++)
      for (const project of [one, two]) {
        const changes = Array.from({ length: 30 }, (): Change => {
          const next = entry(Math.floor(random() * 80));
          if (random() < 0.7) return put(next);
          return { op: 'withdraw', id: next.id, version: next.version };
        });
        await push(project, changes);
        await assertExact();
      }
    const { id } = entry(3);
    await push(one, [
      { op: 'tombstone', id, turn: 't', hash: 'h', version: { clock: 999, machine: 'laptop' } },
    ]);
    await assertExact();

    await store.transaction(ada, async (work) => {
      const all = await browse(work, {}, { limit: 1000 });
      const plain = (filter: (one: (typeof all)[number]['entry']) => boolean): number =>
        all.filter((shared) => filter(shared.entry)).length;
      assert.equal(await countMemories(work, {}), all.length);
      assert.equal(
        await countMemories(work, { kind: 'issue', state: ['open', 'current'] }),
        plain(({ kind, state }) => kind === 'issue' && /open|current/.test(state)),
      );
      assert.equal(
        await countMemories(work, { agent: 'codex', project: one }),
        all.filter((m) => m.project === one && m.entry.provenance.agent === 'codex').length,
      );
      for (const [since, until] of [
        ['2026-10-05T22:00:00.000Z', '2026-10-20T22:00:00.000Z'],
        ['2026-10-05T22:07:31.500Z', '2026-10-20T01:59:00.000Z'],
        ['2026-10-05T22:01:00.000Z', '2026-10-05T22:09:00.000Z'],
        ['2026-10-05T22:01:00.000Z', '2026-10-05T22:31:00.000Z'],
      ] as const)
        for (const kind of [undefined, 'decision'] as const)
          assert.equal(
            await countMemories(work, { since, until, ...(kind ? { kind } : {}) }),
            plain((m) => m.at >= since && m.at < until && (!kind || m.kind === kind)),
            `${since} ${until} ${kind}`,
          );
      for (const zone of ['Europe/Vienna', 'Asia/Kolkata', 'Pacific/Chatham', 'America/St_Johns', 'UTC']) {
        const days = zoneDays(zone);
        const dates = Array.from({ length: 20 }, (_, i) => `2026-10-${String(i + 10)}`);
        const counts = await countsByTime(
          work,
          dates.map((date) => days.startOf(date)),
        );
        for (const [i, date] of dates.entries()) {
          const found = counts
            .filter(({ place }) => place === i + 1)
            .reduce((sum, { count }) => sum + count, 0);
          const expected =
            i === dates.length - 1
              ? plain((m) => days.dayOf(m.at) >= date)
              : plain((m) => days.dayOf(m.at) === date);
          assert.equal(found, expected, `${zone} ${date}`);
        }
        const before = counts.filter(({ place }) => place === 0).reduce((sum, { count }) => sum + count, 0);
        assert.equal(
          before,
          plain((m) => days.dayOf(m.at) < '2026-10-10'),
          zone,
        );
      }
      const [found] = await facets(work, one);
      assert.equal(found?.lastAt, all.find(({ project }) => project === one)?.entry.at);
      assert.deepEqual(found?.authors, ['Ada']);
      assert.deepEqual(found?.agents, ['claude-code', 'codex']);
    });

    await store.transaction(ada, (work) => withdrawOwn(work, two));
    await assertExact();
    await store.transaction(ada, (work) => removeProject(work, one));
    await assertExact();
    for (const table of ['project_facet', 'project_author', 'project_day'])
      assert.deepEqual(
        await asSuperuser(database, (ask) => ask(`SELECT * FROM tidemark.${table}`)),
        [],
        table,
      );
  },
);

test('pages continue at every offset in the order of time', { skip }, async () => {
  const names = ['quay', 'berth', 'crane'];
  const projects = await Promise.all(names.map(newProject));
  for (const [i, project] of projects.entries())
    await push(
      project,
      Array.from({ length: [400, 350, 3][i] ?? 0 }, (_, n) =>
        put(
          entryOf(`${names[i]} ${n}`, {
            kind: n % 3 === 0 ? 'issue' : 'decision',
            at: new Date(Date.UTC(2026, 0, 1) + ((n * 7919) % 100_000) * 60_000).toISOString(),
          }),
        ),
      ),
    );
  await store.transaction(ada, async (work) => {
    const filter = { project: projects };
    const all = (await browse(work, filter, { limit: 1000 })).map(({ entry: { id } }) => id);
    assert.equal(all.length, 753);
    for (const offset of [0, 1, 49, 499, 500, 501, 640, 752, 753, 9999]) {
      const page = await browse(work, filter, { limit: 20, offset });
      assert.deepEqual(
        page.map(({ entry: { id } }) => id),
        all.slice(offset, offset + 20),
        String(offset),
      );
    }
    const issues = await browse(work, { ...filter, kind: 'issue' }, { limit: 1000 });
    assert.equal(issues.length, 134 + 117 + 1);
    const oldest = await browse(work, { ...filter, kind: 'issue' }, { limit: 1000, order: 'oldest' });
    assert.deepEqual(
      oldest.map(({ entry: { id } }) => id),
      issues.map(({ entry: { id } }) => id).toReversed(),
    );
  });
});

test('the migration counts the memories that a database already has', { skip }, async () => {
  const counters = MIGRATIONS.find(({ number }) => number === 13);
  const fill =
    /-- The owner of the tables[\s\S]*?FORCE ROW LEVEL SECURITY;\s*\n\s*(WITH moved[\s\S]*?;)\n/.exec(
      counters?.sql ?? '',
    );
  assert.ok(fill?.[1]);
  await asSuperuser(database, async (ask) => {
    for (const table of ['project_facet', 'project_author', 'project_day'])
      await ask(`DELETE FROM tidemark.${table}`);
    await ask(fill[1] ?? '');
  });
  await assertExact();
});

test('every agent is counted by its name', () => {
  // A new agent needs a migration, because the list is in an index and in a trigger.
  assert.deepEqual([...COUNTED_AGENTS], [...AGENTS]);
});

async function newProject(name: string): Promise<string> {
  return (await store.transaction(ada, (work) => ensureProject(work, { name, keys: [`git:${name}`] }))).id;
}

let pushes = 0;
function push(project: string, changes: readonly Change[]) {
  return store.transaction(ada, (work) =>
    pushChanges(work, project, { changes, idempotencyKey: `counters-${++pushes}` }),
  );
}

/** Compares every counter with the rows it counts. */
async function assertExact(): Promise<void> {
  await asSuperuser(database, async (ask) => {
    const same = async (counted: string, rows: string): Promise<void> =>
      assert.deepEqual(
        await ask(`${counted} ORDER BY 1, 2, 3, 4, 5, 6`),
        await ask(`${rows} ORDER BY 1, 2, 3, 4, 5, 6`),
      );
    await same(
      `SELECT ${KEY}, kind, state, agent, memories FROM tidemark.project_facet`,
      `SELECT ${KEY}, kind, state, ${AGENT} AS agent, count(*) AS memories FROM tidemark.memory GROUP BY 1, 2, 3, 4, 5`,
    );
    await same(
      `SELECT ${KEY}, author_id, memories, 0 AS e, 0 AS f FROM tidemark.project_author`,
      `SELECT ${KEY}, author_id, count(*) AS memories, 0 AS e, 0 AS f FROM tidemark.memory GROUP BY 1, 2, 3`,
    );
    await same(
      `SELECT ${KEY}, day, kind || state || agent AS facet, q.quarter, q.total AS upto FROM tidemark.project_day d,
         unnest(d.quarters, d.upto) AS q (quarter, total)`,
      `SELECT ${KEY}, left(at, 10) AS day, kind || state || ${AGENT} AS facet,
           substr(at, 12, 2)::int * 4 + substr(at, 15, 2)::int / 15 AS quarter,
           (sum(count(*)) OVER (PARTITION BY project_id, left(at, 10), kind, state, ${AGENT}
             ORDER BY substr(at, 12, 2)::int * 4 + substr(at, 15, 2)::int / 15))::int AS upto
         FROM tidemark.memory GROUP BY team_id, project_id, 3, kind, state, ${AGENT}, 5`,
    );
    await same(
      `SELECT ${KEY}, day, kind || state || agent AS facet, memories, 0 AS f FROM tidemark.project_day`,
      `SELECT ${KEY}, left(at, 10) AS day, kind || state || ${AGENT} AS facet, count(*)::int AS memories, 0 AS f
       FROM tidemark.memory GROUP BY 1, 2, 3, 4`,
    );
  });
}
