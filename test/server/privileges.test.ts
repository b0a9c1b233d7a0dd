/**
 * Every table × caller × command, with plain SQL under the server's role: what succeeds must be written down here. A new
 * table without a decision fails the test. It guards against a wrong statement in our code, not against a caller who could
 * choose statements freely.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import {
  addMember,
  APP_PRIVILEGES,
  auditLog,
  createKey,
  createLink,
  createTeam,
  createVisit,
  ensureProject,
  insertMessages,
  insertSessionEvents,
  inspect,
  LOOKUP_PRIVILEGES,
  pushChanges,
  putTeamSettings,
  putVectors,
  setShare,
  TeamStore,
  waitingTexts,
  type Caller,
} from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;
const COMMANDS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'] as const;
type Command = (typeof COMMANDS)[number];
type Row = Readonly<Record<string, unknown>>;

/**
 * The rows that each caller reaches. `open` is shared with the member (write) and the reader (write too, which the role
 * forbids); `closed` belongs to the owner. `own`: rows of the caller; `team`: rows that belong to no project. A dash: none.
 */
type Reach = Readonly<Record<Command, string>>;
const reach = (select: string, insert = '-', update = '-', remove = '-'): Reach => ({
  SELECT: select,
  INSERT: insert,
  UPDATE: update,
  DELETE: remove,
  TRUNCATE: '-',
});
const NOTHING = reach('-');
/** Rows of projects: an owner too reads only what is shared with them. */
const project = (...not: readonly Command[]): Expected => {
  const writes = (command: Command, rows: string): string => (not.includes(command) ? '-' : rows);
  const all = (rows: string): Reach =>
    reach(rows, writes('INSERT', rows), writes('UPDATE', rows), writes('DELETE', rows));
  return { owner: all('open closed'), member: all('open'), reader: reach('open'), stranger: NOTHING };
};

interface Expected {
  readonly owner: Reach;
  readonly member: Reach;
  readonly reader: Reach;
  /** A removed member, a member of another team, and a transaction without a caller. */
  readonly stranger: Reach;
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  migration: { owner: reach('team'), member: reach('team'), reader: reach('team'), stranger: reach('team') },
  team: { owner: reach('team', 'team'), member: reach('team'), reader: reach('team'), stranger: NOTHING },
  member: {
    owner: reach('own team', 'own team', 'own team'),
    member: reach('own team'),
    reader: reach('own team'),
    stranger: NOTHING,
  },
  // Written by make_key, revoke_keys and key_used.
  api_key: { owner: reach('own team'), member: reach('own'), reader: reach('own'), stranger: NOTHING },
  // Written by record_audit.
  audit: { owner: reach('own team'), member: NOTHING, reader: NOTHING, stranger: NOTHING },
  project: {
    owner: reach('open closed', 'open closed', 'open closed', 'open closed'),
    member: reach('open'),
    reader: reach('open'),
    stranger: NOTHING,
  },
  project_key: {
    owner: reach('open closed', 'open closed', '-', 'open closed'),
    member: reach('open', 'open'),
    reader: reach('open'),
    stranger: NOTHING,
  },
  share: {
    owner: reach('open closed', 'open closed', 'open closed', 'open closed'),
    member: reach('open'),
    reader: reach('open'),
    stranger: NOTHING,
  },
  project_counter: project(),
  project_term: project(),
  // Written by the triggers of memory.
  project_facet: project('INSERT', 'UPDATE', 'DELETE'),
  project_author: project('INSERT', 'UPDATE', 'DELETE'),
  project_day: project('INSERT', 'UPDATE', 'DELETE'),
  memory: project(),
  memory_revision: project('UPDATE'),
  memory_vector: project(),
  unembedded: project('UPDATE'),
  tombstone: project(),
  change: project(),
  push: project('UPDATE'),
  message: project(),
  session_event: project('UPDATE'),
  hub_link: {
    owner: reach('own', 'own', '-', 'own'),
    member: reach('own', 'own', '-', 'own'),
    reader: reach('own', 'own', '-', 'own'),
    stranger: NOTHING,
  },
  hub_visit: {
    owner: reach('own', 'own', 'own', 'own'),
    member: reach('own', 'own', 'own', 'own'),
    reader: reach('own', 'own', 'own', 'own'),
    stranger: NOTHING,
  },
  team_setting: {
    owner: reach('team', 'team', 'team', 'team'),
    member: reach('team'),
    reader: reach('team'),
    stranger: NOTHING,
  },
  // Only through use_limits.
  limit_use: { owner: NOTHING, member: NOTHING, reader: NOTHING, stranger: NOTHING },
};

let postgres: Postgres;
let database: string;
let store: TeamStore;
let app: string;
/** A superuser, who takes the server's role. */
let client: Client;
let owner: Caller;
let member: Caller;
let reader: Caller;
let strangers: readonly Caller[];
let open: string;
let closed: string;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  store = await TeamStore.open({ database });
  app = await inspect(database, async (at) => at.app);
  client = new Client({ connectionString: database });
  await client.connect();
  owner = await createTeam(store, { name: 'Acme', owner: 'Ada' });
  const joined = (name: string, role: 'member' | 'reader') =>
    store.transaction(owner, async (work) => ({
      team: owner.team,
      member: (await addMember(work, { name, role })).id,
    }));
  [member, reader] = [await joined('Ben', 'member'), await joined('Rea', 'reader')];
  const gone = await joined('Gus', 'member');
  [open, closed] = [await filled('open'), await filled('closed')];
  for (const { member: id } of [member, reader, gone])
    await store.transaction(owner, (work) => setShare(work, open, { member: id, access: 'write' }));
  await store.transaction(owner, (work) => putTeamSettings(work, { 'notes.review': true }));
  for (const caller of [owner, member, reader])
    await store.transaction(owner, async (work) => {
      const scopes = ['read'] as const;
      const { key } = await createKey(work, { member: caller.member, scopes });
      await auditLog(work)('key.create', key.id);
    });
  for (const caller of [owner, member, reader])
    await store.transaction(caller, async (work) => {
      const row = await work.row('SELECT id FROM tidemark.api_key WHERE member_id = $1', [caller.member]);
      const key = String(row?.['id']);
      await createLink(work, key, new Date(Date.now() + 60_000));
      await createVisit(work, key, new Date(Date.now() + 60_000));
      await auditLog(work, key)('hub.login', caller.member);
    });
  await asSuperuser(database, (ask) =>
    ask('UPDATE tidemark.member SET removed_at = now() WHERE id = $1', [gone.member]),
  );
  const other = await createTeam(store, { name: 'Zeta', owner: 'Zoe' });
  strangers = [
    gone,
    { team: owner.team, member: other.member },
    { team: '', member: '' },
    { team: randomUUID(), member: owner.member },
  ];
});
after(async () => {
  await client?.end();
  await store?.close();
  await postgres?.remove();
});

/** A project of the owner with a row in every table of projects. */
async function filled(name: string): Promise<string> {
  return store.transaction(owner, async (work) => {
    const { id } = await ensureProject(work, { name, keys: [`git:${name}`] });
    const [one, two, three] = ['One', 'Two', 'Three'].map((title) => entryOf(`${title} of ${name}`));
    if (!one || !two || !three) throw new Error('three entries');
    const changes = [one, { ...one, version: { clock: 2, machine: 'desk' } }, two, three].map(put);
    await pushChanges(work, id, { changes, idempotencyKey: `fill ${name}` });
    const version = { clock: 3, machine: 'desk' };
    await pushChanges(work, id, {
      changes: [{ op: 'tombstone', id: two.id, turn: 't', hash: 'h', version }],
      idempotencyKey: `forget ${name}`,
    });
    const [waiting] = await waitingTexts(work, 1);
    if (waiting)
      await putVectors(work, { model: 'm', mode: 'rescoring' }, [
        { ...waiting, vector: new Float32Array([1, 0]) },
      ]);
    const ids = { messageId: '1', groupId: name, userId: 'ada' };
    const message = {
      ...ids,
      sender: 'ada',
      role: 'user',
      content: 'hello',
      createTime: '2026-11-15T09:00:00Z',
    };
    await insertMessages(work, id, randomUUID(), [message]);
    await insertSessionEvents(work, id, [{ ...ids, event: 'start', at: '2026-11-15T09:00:00Z' }]);
    return id;
  });
}

test('each caller reaches exactly these rows of each table with each command', { skip }, async () => {
  const tables = await asSuperuser(database, (ask) =>
    ask(
      // Partitions are reached only through their parents (partitions.test.ts).
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'tidemark'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
    ),
  );
  const names = tables.map(({ name }) => String(name));
  assert.deepEqual(names, Object.keys(EXPECTED).toSorted(), 'every table needs a decision here');
  assert.deepEqual(names, Object.keys(APP_PRIVILEGES).toSorted(), 'and in privileges.ts');
  for (const name of names) {
    const rows = await asSuperuser(database, (ask) =>
      ask(`SELECT to_jsonb(t) AS row FROM tidemark.${name} AS t`),
    );
    const all = rows.map(({ row }) => row as Row);
    const expected = EXPECTED[name];
    for (const [who, callers] of Object.entries({
      owner: [owner],
      member: [member],
      reader: [reader],
      stranger: strangers,
    }))
      for (const [i, caller] of callers.entries())
        for (const command of COMMANDS) {
          const wanted = expected?.[who as keyof Expected][command];
          // Who is bound to the team sees its name and members, which the operator needs.
          const isBound =
            who === 'stranger' && i < 2 && command === 'SELECT' && /^(?:team|member)$/.test(name);
          const seen = isBound ? (name === 'member' && i === 0 ? 'own team' : 'team') : wanted;
          const found = await reached(caller, command, name, all);
          assert.equal(found, seen, `${command} ${name} as ${who} ${i}`);
        }
  }
});

/** Returns the kinds of rows that a caller reaches with a command, or a dash. */
async function reached(
  caller: Caller,
  command: Command,
  table: string,
  all: readonly Row[],
): Promise<string> {
  const kinds = new Set<string>();
  for (const row of all) {
    const kind = kindOf(row, table, caller);
    if (kind === undefined || kinds.has(kind)) continue;
    if (await isReached(caller, command, table, row)) kinds.add(kind);
  }
  const order = ['open', 'closed', 'own', 'team'];
  return [...kinds].toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).join(' ') || '-';
}

function kindOf(row: Row, table: string, caller: Caller): string | undefined {
  const of = table === 'project' ? row['id'] : row['project_id'];
  if (of !== undefined) return of === open ? 'open' : of === closed ? 'closed' : 'other team';
  const team = table === 'team' ? row['id'] : row['team_id'];
  if (team !== undefined && team !== owner.team) return 'other team';
  const who = table === 'member' ? row['id'] : row['member_id'];
  return who === caller.member ? 'own' : 'team';
}

/** Columns that identify a row. */
const KEYS = ['id', 'team_id', 'project_id', 'member_id', 'memory_id', 'key', 'term', 'number', 'clock'];

/** Tries the command with one row in a transaction that is rolled back. */
async function isReached(caller: Caller, command: Command, table: string, row: Row): Promise<boolean> {
  const names = Object.keys(row).filter((name) => row[name] !== null);
  const at = KEYS.flatMap((name) => (row[name] ? [`${name}::text = '${String(row[name])}'`] : [])).join(
    ' AND ',
  );
  try {
    await client.query(`BEGIN; SET LOCAL ROLE ${app}`);
    await client.query(
      "SELECT set_config('tidemark.team', $1, true), set_config('tidemark.member', $2, true)",
      [caller.team, caller.member],
    );
    switch (command) {
      case 'SELECT':
        return (await client.query(`SELECT 1 FROM tidemark.${table} WHERE ${at}`)).rowCount === 1;
      case 'INSERT': {
        // The row exists, so an allowed insert meets the unique index; the policies are checked before.
        const columns = names.join(', ');
        await client.query(
          `INSERT INTO tidemark.${table} (${columns}) OVERRIDING SYSTEM VALUE
           SELECT ${columns} FROM jsonb_populate_record(NULL::tidemark.${table}, $1)`,
          [JSON.stringify(row)],
        );
        return true;
      }
      case 'UPDATE':
        // Any column that may be updated.
        for (const name of names) {
          await client.query('SAVEPOINT one');
          const done = await client
            .query(`UPDATE tidemark.${table} SET ${name} = ${name} WHERE ${at}`)
            .catch(refused);
          await client.query('ROLLBACK TO SAVEPOINT one');
          if (done?.rowCount === 1) return true;
        }
        return false;
      case 'DELETE':
        return (await client.query(`DELETE FROM tidemark.${table} WHERE ${at}`)).rowCount === 1;
      case 'TRUNCATE':
        await client.query(`TRUNCATE tidemark.${table}`);
        return true;
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === '23505') return true;
    refused(error);
    return false;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Rethrows what is not a refusal: permission denied, or a generated column. */
function refused(error: unknown): undefined {
  if (!['42501', '428C9'].includes(String((error as { code?: unknown }).code))) throw error;
}

test(
  'a reader cannot make keys that write, entries of others or visits for other keys',
  { skip },
  async () => {
    const keyOf = async (caller: Caller) =>
      String(
        (
          await asSuperuser(database, (ask) =>
            ask('SELECT id FROM tidemark.api_key WHERE member_id = $1', [caller.member]),
          )
        )[0]?.['id'],
      );
    const [theirs, own] = [await keyOf(owner), await keyOf(reader)];
    const make = (who: Caller, scopes: string) =>
      `SELECT tidemark.make_key('${randomUUID().slice(0, 12)}', '${who.member}', '', 'p', sha256('x'), '{${scopes}}', NULL) AS made`;
    const tries: readonly (readonly [statement: string, result: unknown])[] = [
      [make(reader, 'read'), { made: true }],
      [make(reader, 'read,write'), { made: false }],
      [make(owner, 'read'), { made: false }],
      [`SELECT tidemark.revoke_keys('{${theirs}}') AS n`, { n: '0' }],
      [`UPDATE tidemark.api_key SET revoked_at = NULL`, '42501'],
      [`SELECT hash FROM tidemark.api_key`, '42501'],
      [`SELECT tidemark.record_audit('${own}', 'hub.login', '', '{}') AS done`, { done: '' }],
      [`SELECT tidemark.record_audit('${own}', 'member.remove', '', '{}') AS done`, '42501'],
      [`SELECT tidemark.record_audit('${theirs}', 'hub.login', '', '{}') AS done`, '42501'],
      [`SELECT tidemark.record_audit(NULL, 'hub.login', '', '{}') AS done`, '42501'],
      [
        `INSERT INTO tidemark.hub_visit (team_id, id, member_id, key_id, hash, until)
       VALUES ('${reader.team}', 'forged', '${reader.member}', '${theirs}', sha256('x'), now())`,
        '42501',
      ],
    ];
    for (const [statement, result] of tries) {
      await client.query(`BEGIN; SET LOCAL ROLE ${app}; SET LOCAL tidemark.team = '${reader.team}';
      SET LOCAL tidemark.member = '${reader.member}'`);
      const found = await client.query<Row>(statement).then(
        ({ rows }) => rows[0],
        (error: { code: string }) => error.code,
      );
      await client.query('ROLLBACK');
      assert.deepEqual(found, result, statement);
    }
  },
);

test('the roles have exactly the declared privileges, and no other role has any', { skip }, async () => {
  const lookup = app.replace('app', 'lookup');
  const grants = await asSuperuser(database, (ask) =>
    ask(`SELECT DISTINCT grantee, table_name AS name, privilege_type AS command FROM information_schema.role_column_grants
         WHERE table_schema = 'tidemark' AND grantee <> current_user
         UNION SELECT grantee, table_name, privilege_type FROM information_schema.role_table_grants
         WHERE table_schema = 'tidemark' AND grantee <> current_user`),
  );
  const declared = [
    [app, APP_PRIVILEGES],
    [lookup, LOOKUP_PRIVILEGES],
  ] as const;
  const expected = declared.flatMap(([role, tables]) =>
    Object.entries(tables).flatMap(([name, text]) =>
      (text.match(/[A-Z]+/g) ?? []).map((command) => `${role} ${command} ${name}`),
    ),
  );
  const found = grants.map(
    ({ grantee, command, name }) => `${String(grantee)} ${String(command)} ${String(name)}`,
  );
  assert.deepEqual(found.toSorted(), expected.toSorted());
  const open = await asSuperuser(database, (ask) =>
    ask(`SELECT p.proname FROM pg_proc p CROSS JOIN aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
         WHERE p.pronamespace = 'tidemark'::regnamespace AND a.grantee = 0`),
  );
  assert.deepEqual(open, [], 'no function for everyone');
});
