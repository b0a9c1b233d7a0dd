/** Other databases of the same PostgreSQL server: their owners must not reach this one, whatever roles they have. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import {
  checkKey,
  createTeam,
  ensureProject,
  inspect,
  listAudit,
  pullChanges,
  pushChanges,
  searchMemories,
  TeamStore,
} from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { fillOlderDatabase } from './_older-database.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});
after(async () => {
  await postgres?.remove();
});

const nameOf = (database: string): string => new URL(database).pathname.slice(1);
/** The same user in another database. */
const movedTo = (database: string, other: string): string =>
  Object.assign(new URL(database), { pathname: `/${nameOf(other)}` }).href;
const superuserOf = (database: string): string => postgres.urlOf(nameOf(database));

/** Tries each statement in a connection of its own. @returns what came back, or the code of the error */
async function tried(database: string, statements: readonly string[]): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const statement of statements) {
    const client = new Client({ connectionString: database });
    client.on('error', () => {});
    try {
      await client.connect();
      const done: unknown = await client.query(statement);
      const last = Array.isArray(done) ? done.at(-1) : done;
      results.push((last as { rows: unknown }).rows);
    } catch (error) {
      results.push((error as { code?: unknown }).code);
    } finally {
      await client.end().catch(() => {});
    }
  }
  return results;
}

/** Statements that an owner of another database would try, with every role that could exist. */
const ATTACKS = (roles: readonly string[]): readonly string[] =>
  ['', ...roles.map((role) => `SET ROLE ${role};`)].flatMap((role) => [
    `${role} SELECT title FROM tidemark.memory`,
    `${role} SELECT * FROM tidemark.team_ids()`,
    `${role} SELECT set_config('tidemark.team', (SELECT id::text FROM tidemark.team LIMIT 1), false)`,
  ]);

test('the owner of another database cannot read this one', { skip }, async () => {
  const [ours, theirs] = [await postgres.newOwnedDatabase(), await postgres.newOwnedDatabase()];
  for (const database of [ours, theirs]) {
    const store = await TeamStore.open({ database });
    const ada = await createTeam(store, { name: 'Acme', owner: 'Ada' });
    await store.transaction(ada, async (work) => {
      const { id } = await ensureProject(work, { name: 'p', keys: ['git:p'] });
      await pushChanges(work, id, { changes: [put(entryOf('Only ours'))], idempotencyKey: 'only-ours' });
    });
    await store.close();
  }
  // As the guide says, once the roles exist. PostgreSQL 15 lets a user with CREATEROLE join any role.
  await asSuperuser(superuserOf(theirs), (ask) => ask(`ALTER ROLE ${nameOf(theirs)} NOCREATEROLE`));
  const intruder = movedTo(theirs, ours);
  assert.deepEqual(await tried(intruder, ['SELECT 1']), ['42501'], 'it may not even connect');

  // The policies hold even where an administrator lets every role connect.
  await asSuperuser(superuserOf(ours), (ask) => ask(`GRANT CONNECT ON DATABASE ${nameOf(ours)} TO PUBLIC`));
  const roles = await Promise.all([ours, theirs].map((one) => inspect(one, async ({ app }) => app)));
  assert.notEqual(roles[0], roles[1]);
  const attempts = ATTACKS([...roles, ...roles.map((role) => role.replace('app', 'lookup')), nameOf(ours)]);
  for (const [i, result] of (await tried(intruder, attempts)).entries())
    assert.equal(result, '42501', attempts[i]);
});

test('an older database moves to its own roles with all its data', { skip }, async () => {
  const [ours, theirs] = [await postgres.newOwnedDatabase(), await postgres.newOwnedDatabase()];
  const older = await fillOlderDatabase(ours, superuserOf(ours));
  await fillOlderDatabase(theirs, superuserOf(theirs));
  await asSuperuser(superuserOf(theirs), (ask) => ask(`ALTER ROLE ${nameOf(theirs)} NOCREATEROLE`));
  const attack = `SET ROLE tidemark_app; SET tidemark.team = '${older.team}'; SET tidemark.member = '${older.owner}';
    SELECT count(*)::int AS seen FROM tidemark.memory`;
  const intruder = movedTo(theirs, ours);
  assert.deepEqual(await tried(intruder, [attack]), [[{ seen: 2 }]], 'the attack works before');

  const store = await TeamStore.open({ database: ours });
  assert.deepEqual(await tried(intruder, [attack]), ['42501']);
  await asSuperuser(superuserOf(ours), async (ask) => {
    await ask(`GRANT CONNECT ON DATABASE ${nameOf(ours)} TO PUBLIC`);
    const left = await ask(
      `SELECT policyname FROM pg_policies WHERE schemaname = 'tidemark' AND roles && '{tidemark_app, tidemark_lookup}'`,
    );
    assert.deepEqual(left, []);
  });
  assert.deepEqual(await tried(intruder, [attack]), ['42501']);

  const { kind } = await checkKey(store, older.key, new Date());
  assert.equal(kind, 'known', 'keys still work');
  const caller = { team: older.team, member: older.owner };
  const { open, closed } = older.projects;
  const pulled = await store.transaction(caller, (work) => pullChanges(work, open, { after: 0, limit: 10 }));
  assert.deepEqual(
    pulled.changes.map(({ seq }) => seq),
    [7],
    'a number that a client has seen stays valid',
  );
  const pushed = await store.transaction(caller, (work) =>
    pushChanges(work, open, { changes: [put(entryOf('A lighthouse later'))], idempotencyKey: 'after-it' }),
  );
  assert.equal(pushed.cursor, 8, 'each project continues after its own last number');
  const counted = await store.transaction(caller, (work) =>
    work.rows(
      `SELECT project_id, sum(rows)::int AS rows FROM tidemark.project_term WHERE term LIKE 'lighthous%' GROUP BY 1`,
    ),
  );
  assert.deepEqual(
    new Map(counted.map((row) => [row['project_id'], row['rows']])),
    new Map([
      [open, 2],
      [closed, 1],
    ]),
  );
  const { hits } = await store.transaction(caller, (work) =>
    searchMemories(work, store.vectors, 'lighthouse', { now: new Date() }),
  );
  assert.equal(hits.length, 3);
  const { items } = await store.transaction(caller, (work) => listAudit(work));
  assert.equal(items.length, 2);
  await store.close();
  await (await TeamStore.open({ database: ours })).close();
});

test('a copy of a database in the same PostgreSQL gets roles of its own', { skip }, async () => {
  const ours = await postgres.newOwnedDatabase();
  const store = await TeamStore.open({ database: ours });
  const ada = await createTeam(store, { name: 'Acme', owner: 'Ada' });
  await store.close();
  const name = nameOf(ours);
  await asSuperuser(postgres.urlOf('postgres'), (ask) =>
    ask(`CREATE DATABASE ${name}_copy TEMPLATE ${name} OWNER ${name}`),
  );
  const copy = movedTo(ours, `postgres://host/${name}_copy`);
  const before = await inspect(copy, async ({ app }) => app);
  const opened = await TeamStore.open({ database: copy });
  const after = await inspect(copy, async ({ app }) => app);
  assert.notEqual(before, after);
  const [grants] = await asSuperuser(superuserOf(copy), (ask) =>
    ask(
      `SELECT has_schema_privilege($1, 'tidemark', 'USAGE') AS schema,
      has_any_column_privilege($1, 'tidemark.memory', 'SELECT') AS memory`,
      [before],
    ),
  );
  assert.deepEqual(grants, { schema: false, memory: false });
  const { items } = await opened.transaction(ada, (work) => listAudit(work));
  assert.deepEqual(items, []);
  await opened.close();
});
