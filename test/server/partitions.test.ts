/** The partitions of the large tables: moved without loss, one per statement, closed to callers, and no shared locks. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  browse,
  chainAround,
  changesAfter,
  claimMessages,
  countAuthors,
  countMemories,
  countsByTime,
  createTeam,
  ensureProject,
  facets,
  insertMessages,
  insertSessionEvents,
  inspect,
  listMemories,
  memoryById,
  oldestMemory,
  pullChanges,
  pushChanges,
  putVectors,
  queueOf,
  removeProject,
  revisionsOf,
  searchMemories,
  sessionStarts,
  settleMessages,
  TeamStore,
  waitingTexts,
  withdrawOwn,
  type Caller,
  type Work,
} from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import { fillOlderDatabase } from './_older-database.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
const NOW = new Date('2026-11-15T12:00:00Z');
const DIMENSIONS = 384;
/** All tables in partitions that an older database has, too. */
const MOVED = [
  'memory',
  'memory_vector',
  'memory_revision',
  'tombstone',
  'change',
  'push',
  'unembedded',
  'message',
  'session_event',
];
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

test('a database of an earlier release is moved into partitions with all its rows', { skip }, async () => {
  const older = await postgres.newOwnedDatabase();
  const superuser = postgres.urlOf(new URL(older).pathname.slice(1));
  const filled = await fillOlderDatabase(older, superuser);
  const { team, owner, projects } = filled;
  await asSuperuser(superuser, async (ask) => {
    const ids = `'${team}', '${projects.open}'`;
    await ask(`INSERT INTO tidemark.memory_vector (team_id, number, project_id, model, content_hash, scale, codes)
      SELECT team_id, number, project_id, 'm', content_hash, 1, '\\x01' FROM tidemark.memory`);
    await ask(`INSERT INTO tidemark.unembedded SELECT team_id, number, project_id FROM tidemark.memory`);
    await ask(`INSERT INTO tidemark.memory_revision (team_id, project_id, id, clock, version_machine, author_id, entry)
      VALUES (${ids}, 'a', 1, 'm', '${owner}', '{"x": 1}')`);
    await ask(`INSERT INTO tidemark.tombstone (team_id, project_id, id, op, turn, hash, clock, version_machine, author_id)
      VALUES (${ids}, 'b', 'tombstone', 't', 'h', 1, 'm', '${owner}')`);
    await ask(`INSERT INTO tidemark.push (team_id, project_id, member_id, key, answer)
      VALUES (${ids}, '${owner}', 'k', '{"y": 2}')`);
    await ask(`INSERT INTO tidemark.message (team_id, project_id, group_id, message_id, user_id, sender, role, content,
        create_time, member_id, request_id)
      SELECT ${ids}, 'g', n::text, 'u', 's', 'user', 'hello', '2026', '${owner}', '${randomUUID()}'
      FROM generate_series(1, 5) AS n`);
    await ask(`INSERT INTO tidemark.session_event (team_id, project_id, group_id, message_id, user_id, event, at)
      VALUES (${ids}, 'g', 'e', 'u', 'start', '2026')`);
    // Numbers that were given and are free again must not be given twice.
    await ask('DELETE FROM tidemark.message WHERE number > 3');
  });
  const rowsOf = (table: string) =>
    asSuperuser(superuser, (ask) =>
      ask(`SELECT to_jsonb(t) AS row FROM tidemark.${table} AS t ORDER BY t::text`),
    );
  const beforehand = new Map<string, readonly object[]>();
  for (const table of MOVED)
    beforehand.set(
      table,
      (await rowsOf(table)).map(({ row }) => row as object),
    );

  const moved = await TeamStore.open({ database: older });
  for (const [table, rows] of beforehand) {
    const now = (await rowsOf(table)).map(({ row }) => row as object);
    assert.equal(now.length, rows.length, table);
    assert.ok(rows.length > 0, table);
    for (const row of rows)
      assert.ok(
        now.some((one) => Object.entries(row).every(([name, value]) => isSame(value, one, name))),
        `${table}: ${JSON.stringify(row)}`,
      );
  }
  await moved.transaction({ team, member: owner }, async (work) => {
    const message = {
      groupId: 'g',
      messageId: 'later',
      userId: 'u',
      sender: 's',
      role: 'user',
      content: 'hello',
      createTime: '2027',
    };
    await insertMessages(work, projects.open, randomUUID(), [message]);
  });
  const [last] = await asSuperuser(superuser, (ask) =>
    ask('SELECT max(number)::int AS number FROM tidemark.message'),
  );
  assert.deepEqual(last, { number: 6 });
  await moved.close();
});

function isSame(value: unknown, row: object, name: string): boolean {
  const now: unknown = Object.getOwnPropertyDescriptor(row, name)?.value;
  return JSON.stringify(now) === JSON.stringify(value);
}

test('every statement of a team reads and writes one partition only', { skip }, async () => {
  const used = new Set<string>();
  const explained: string[] = [];
  const listening = (work: Work): Work => {
    const explain = async (statement: string, values: readonly unknown[] = []): Promise<void> => {
      if (!/^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/.test(statement)) return;
      const told = await work.rows(`EXPLAIN ${statement}`, values);
      const plan = told.map((row) => String(row['QUERY PLAN'])).join('\n');
      const partitions = [...plan.matchAll(/ on (\w+)_(p\d\d)\b/g)];
      explained.push(...partitions.map(([, table = '']) => table));
      for (const [, , part = ''] of partitions) used.add(part);
      assert.ok(used.size <= 1, `${statement}\n${plan}`);
    };
    return {
      ...work,
      rows: async (statement, values) => (await explain(statement, values), work.rows(statement, values)),
      row: async (statement, values) => (await explain(statement, values), work.row(statement, values)),
      run: async (statement, values) => (await explain(statement, values), work.run(statement, values)),
    };
  };
  await store.transaction(ada, async (plain) => {
    const work = listening(plain);
    const { id } = await ensureProject(work, { name: 'pruned', keys: ['git:pruned'] });
    const [first, second] = [entryOf('Tides turn', { files: ['src/tide.ts'] }), entryOf('Ropes are coiled')];
    const push = (key: string, ...changes: Parameters<typeof pushChanges>[2]['changes']) =>
      pushChanges(work, id, { changes, idempotencyKey: key });
    await push('first push', put(first), put(second));
    const later = { clock: first.version.clock + 1, machine: first.version.machine };
    await push('second push', put({ ...first, title: 'Tides turn twice', version: later }));
    const waiting = await waitingTexts(work, 10);
    const made = waiting.map((one) => ({ ...one, vector: new Float32Array(DIMENSIONS).fill(0.05) }));
    await putVectors(work, { model: 'm', mode: store.vectors }, made);
    const vector = { model: 'm', vector: new Float32Array(DIMENSIONS).fill(0.05) };
    for (const query of ['tides', 'tides kind:decision', 'ropes agent:claude-code', 'file:src/tide.ts'])
      await searchMemories(work, store.vectors, query, { now: NOW, vector });
    await searchMemories(work, store.vectors, 'tides', { now: NOW, vector, project: id, scope: 'project' });
    await pullChanges(work, id, { after: 0, limit: 10 });
    await listMemories(work, id, { limit: 10 });
    await memoryById(work, first.id);
    await revisionsOf(work, id, first.id);
    await browse(work, {}, { limit: 5 });
    await countMemories(work, { kind: 'decision' });
    await countsByTime(work, ['2026-01-01T00:00:00.000Z']);
    await oldestMemory(work);
    await countAuthors(work);
    await facets(work);
    await chainAround(work, id, first.id, 5);
    await changesAfter(work, new Map([[id, 0]]));
    const about = { groupId: 'g', messageId: 'm', userId: 'u' };
    const sent = { ...about, sender: 's', role: 'user', content: 'hi', createTime: '2026-11-15T09:00:00Z' };
    await insertMessages(work, id, randomUUID(), [sent]);
    await insertSessionEvents(work, id, [{ ...about, event: 'start', at: '2026-11-15T09:00:00Z' }]);
    const claimed = await claimMessages(work, 5);
    await queueOf(work);
    await settleMessages(
      work,
      claimed.map(({ number }) => number),
      { state: 'done' },
    );
    await sessionStarts(work, 'g', '2027');
    await withdrawOwn(work, id);
    await removeProject(work, id);
  });
  assert.equal(used.size, 1);
  assert.deepEqual(
    MOVED.filter((table) => !explained.includes(table)),
    [],
    'each table was read',
  );
});

test('no caller reaches a partition without its parent', { skip }, async () => {
  const app = await inspect(database, async (at) => at.app);
  const found = await asSuperuser(database, (ask) =>
    ask(
      `SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity AS bound,
         has_table_privilege('${app}', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') AS open
       FROM pg_class c WHERE c.relnamespace = 'tidemark'::regnamespace AND c.relkind = 'r' AND c.relispartition`,
    ),
  );
  assert.ok(found.length >= (MOVED.length + 1) * 16);
  assert.deepEqual(
    found.filter(({ bound, open }) => bound !== true || open !== false),
    [],
  );
});

test(
  'two projects of a team are pushed at once, while pushes to one wait for each other',
  { skip },
  async () => {
    const [one, other] = await store.transaction(ada, async (work) => [
      (await ensureProject(work, { name: 'one', keys: ['git:one'] })).id,
      (await ensureProject(work, { name: 'other', keys: ['git:other'] })).id,
    ]);
    const push = (work: Work, project = '', key = '') =>
      pushChanges(work, project, { changes: [put(entryOf(`Shared words of ${key}`))], idempotencyKey: key });
    const order: string[] = [];
    let third: Promise<unknown> = Promise.resolve();
    await store.transaction(ada, async (work) => {
      await push(work, one, 'holds the lock');
      // Completes although the first transaction is open and has written the same words.
      await store.transaction(ada, (second) => push(second, other, 'does not wait'));
      order.push('other');
      third = store
        .transaction(ada, (waiting) => push(waiting, one, 'waits'))
        .then(() => order.push('third'));
      await waitFor('a push that waits', async () => {
        const waiting = await asSuperuser(database, (ask) =>
          ask(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          ),
        );
        return waiting.length > 0;
      });
      order.push('first');
    });
    await third;
    assert.deepEqual(order, ['other', 'first', 'third']);
  },
);
