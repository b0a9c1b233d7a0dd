/**
 * Row-level security, tested with plain SQL under the server's role: it must protect teams even from bugs in the code. Two
 * teams with the same content; privileges.test.ts has every table and command within one team.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import {
  addMember,
  createKey,
  createTeam,
  ensureProject,
  inspect,
  insertMessages,
  pushChanges,
  recordAudit,
  removeMember,
  searchMemories,
  setShare,
  TeamStore,
  type Caller,
} from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';

const { skip } = postgresql;
/** Every table with rows of a team. */
const TABLES = [
  'project_counter',
  'project_term',
  'project_facet',
  'project_author',
  'project_day',
  'member',
  'api_key',
  'project',
  'project_key',
  'share',
  'audit',
  'memory',
  'memory_revision',
  'tombstone',
  'change',
  'push',
  'memory_vector',
  'unembedded',
  'message',
  'session_event',
] as const;
let postgres: Postgres;
let database: string;
let store: TeamStore;
let app: string;
/** Two teams with the same content. */
let acme: Filled;
let zeta: Filled;

interface Filled {
  readonly owner: Caller;
  /** Sees only the one project that the owner shared. */
  readonly member: Caller;
  readonly open: string;
  readonly closed: string;
}

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  store = await TeamStore.open({ database });
  app = await inspect(database, async (at) => at.app);
  acme = await fill('Acme');
  zeta = await fill('Zeta');
});
after(async () => {
  await store?.close();
  await postgres?.remove();
});

test('a caller sees no rows of another team in any table', { skip }, async () => {
  await as(acme.owner, async (ask) => {
    for (const table of TABLES) {
      const rows = await ask(`SELECT team_id FROM tidemark.${table}`);
      assert.ok(
        rows.every(({ team_id: team }) => team === acme.owner.team),
        table,
      );
      const theirs = await ask(`SELECT 1 FROM tidemark.${table} WHERE team_id = $1`, [zeta.owner.team]);
      assert.equal(theirs.length, 0, table);
    }
    assert.deepEqual(await ask('SELECT id FROM tidemark.team'), [{ id: acme.owner.team }]);
  });
});

test('nothing can be written into another team or a closed project', { skip }, async () => {
  const memory = (team: string, project: string): string => `INSERT INTO tidemark.memory
    (team_id, project_id, id, kind, title, body, facts, concepts, files, state, at, agent, session, turn, messages,
     made_by, author_id, machine, clock, version_machine, content_hash, tokens, token_count)
    VALUES ('${team}', '${project}', 'forged', 'decision', 't', 'b', '{}', '{}', '{}', 'current', '2026', 'a', 's', 't',
     '{}', 'x', '${acme.member.member}', 'm', 1, 'm', 'h', '', 0)`;
  const forged = [
    memory(zeta.owner.team, zeta.open),
    memory(acme.owner.team, acme.closed),
    `INSERT INTO tidemark.member (team_id, id, name, role) VALUES ('${zeta.owner.team}', '${randomUUID()}', 'M', 'owner')`,
    `INSERT INTO tidemark.member (team_id, id, name, role) VALUES ('${acme.owner.team}', '${randomUUID()}', 'M', 'owner')`,
    `INSERT INTO tidemark.share (team_id, project_id, member_id, access)
       VALUES ('${acme.owner.team}', '${acme.closed}', '${acme.member.member}', 'write')`,
    `INSERT INTO tidemark.api_key (team_id, id, member_id, prefix, hash, scopes) VALUES
       ('${acme.owner.team}', 'forged', '${acme.owner.member}', 'x', sha256('x'), '{admin}')`,
    `INSERT INTO tidemark.project_key (team_id, key, project_id) VALUES ('${acme.owner.team}', 'k', '${acme.closed}')`,
  ];
  for (const statement of forged)
    await assert.rejects(
      as(acme.member, (ask) => ask(statement)),
      /row-level security|permission denied/,
      statement,
    );
});

test('rows of others cannot be changed or deleted', { skip }, async () => {
  await as(acme.member, async (ask) => {
    const changed = [
      `UPDATE tidemark.memory SET title = 'stolen' WHERE team_id = '${zeta.owner.team}' RETURNING 1`,
      `UPDATE tidemark.memory SET title = 'stolen' WHERE project_id = '${acme.closed}' RETURNING 1`,
      `DELETE FROM tidemark.memory WHERE project_id <> '${acme.open}' RETURNING 1`,
      `UPDATE tidemark.member SET role = 'owner' WHERE id = '${acme.member.member}' RETURNING 1`,
      `DELETE FROM tidemark.share WHERE project_id = '${acme.closed}' RETURNING 1`,
    ];
    for (const statement of changed) assert.equal((await ask(statement)).length, 0, statement);
    // A row cannot be moved to a project its owner may not write to.
    await assert.rejects(
      ask(`UPDATE tidemark.memory SET project_id = '${acme.closed}' WHERE project_id = '${acme.open}'`),
      /row-level security/,
    );
  });
  await as(acme.member, async (ask) =>
    assert.rejects(ask('DELETE FROM tidemark.audit'), /permission denied/),
  );
  await as(acme.member, async (ask) =>
    assert.rejects(ask(`SELECT count(*) FROM tidemark.audit; DROP TABLE tidemark.memory`), /must be owner/),
  );
});

test('the word search function returns only readable rows', { skip }, async () => {
  const numbers = (caller: Caller) =>
    as(caller, (ask) =>
      ask(
        `SELECT m.number FROM tidemark.matches(ARRAY(SELECT DISTINCT quote_literal(lexeme) FROM tidemark.memory,
           unnest(tokens)), ARRAY(SELECT 1::real FROM generate_series(1, 1000)), $1, NULL, NULL, NULL, NULL, NULL, NULL,
           NULL, 1000, 1000) AS m`,
        [[acme.open, acme.closed, zeta.open, zeta.closed]],
      ),
    );
  const [mine, all] = [await numbers(acme.member), await numbers(acme.owner)];
  assert.equal(mine.length, 1);
  assert.equal(all.length, 2);
});

test('the surroundings function returns only readable rows, whichever are named', { skip }, async () => {
  const { rows: all } = await asSuperuser('SELECT number, project_id FROM tidemark.memory');
  const numbers = all.map(({ number }) => number);
  const told = (caller: Caller) =>
    as(caller, (ask) =>
      ask(
        `SELECT number, before, after, project_id FROM tidemark.surroundings($1, $1, ARRAY['x'],
           '{0.1, 0.2, 0.3, 1}', 2, 40, 30)`,
        [numbers],
      ),
    );
  for (const [caller, projects] of [
    [acme.member, [acme.open]],
    [acme.owner, [acme.open, acme.closed]],
    [zeta.owner, [zeta.open, zeta.closed]],
  ] as const) {
    const theirs = all.filter(({ project_id: project }) => projects.includes(String(project)));
    const own = new Set(theirs.map(({ number }) => String(number)));
    const rows = await told(caller);
    assert.ok(rows.length >= theirs.length);
    for (const row of rows) {
      const named = [
        row['number'],
        ...String(row['before'] ?? '').split(' '),
        ...String(row['after'] ?? '').split(' '),
      ];
      assert.ok(
        named
          .map(String)
          .filter(Boolean)
          .every((number) => own.has(number)),
      );
    }
  }
});

test('search finds only shared memories of the caller’s team', { skip }, async () => {
  const found = (caller: Caller) =>
    store.transaction(
      caller,
      (work) => searchMemories(work, store.vectors, 'harbour pilots', { now: new Date() }),
      { readOnly: true },
    );
  const titles = async (caller: Caller) => (await found(caller)).hits.map(({ memory }) => memory.title);
  assert.deepEqual(await titles(acme.member), ['Acme open: harbour pilots']);
  assert.deepEqual((await titles(zeta.owner)).toSorted(), [
    'Zeta closed: harbour pilots',
    'Zeta open: harbour pilots',
  ]);
  const forged = { now: new Date(), project: zeta.open, scope: 'project' as const };
  const across = await store.transaction(acme.owner, (work) =>
    searchMemories(work, store.vectors, 'harbour pilots', forged),
  );
  assert.deepEqual(across.hits, []);
});

test('a removed member sees nothing', { skip }, async () => {
  const { id } = await store.transaction(acme.owner, (work) =>
    addMember(work, { name: 'Gone', role: 'member' }),
  );
  const gone = { team: acme.owner.team, member: id };
  await store.transaction(acme.owner, (work) => setShare(work, acme.open, { member: id, access: 'write' }));
  await as(gone, async (ask) => assert.equal((await ask('SELECT 1 FROM tidemark.memory')).length, 1));
  await store.transaction(acme.owner, (work) => removeMember(work, id));
  await as(gone, async (ask) => {
    assert.equal((await ask('SELECT 1 FROM tidemark.memory')).length, 0);
    assert.equal((await ask('SELECT 1 FROM tidemark.project')).length, 0);
  });
});

test('the policies also bind the owner of the tables', { skip }, async () => {
  const own = await postgres.newOwnedDatabase();
  const other = await TeamStore.open({ database: own });
  await createTeam(other, { name: 'Own', owner: 'Ada' });
  await other.close();
  const client = new Client({ connectionString: own });
  await client.connect();
  for (const table of ['team', ...TABLES]) {
    const { rows } = await client.query(`SELECT 1 FROM tidemark.${table}`);
    assert.equal(rows.length, 0, table);
  }
  await client.end();
});

async function fill(name: string): Promise<Filled> {
  const owner = await createTeam(store, { name, owner: 'Ada' });
  const newProject = (kind: string) =>
    store.transaction(owner, async (work) => {
      const { id } = await ensureProject(work, { name: kind, keys: [`key:${kind}`] });
      const body = kind === 'open' ? 'They board at the outer buoy.' : 'Their fee rises with every metre.';
      const entry = entryOf(`${name} ${kind}: harbour pilots`, { body });
      const changes = [put(entry), put({ ...entry, version: { clock: 2, machine: 'desk' } })];
      await pushChanges(work, id, { changes, idempotencyKey: `fill it ${kind}` });
      const message = {
        messageId: 'm1',
        groupId: `${kind}-group`,
        userId: 'ada',
        sender: 'ada',
        role: 'user',
        content: 'hello',
        createTime: '2026-11-15T09:00:00Z',
      };
      await insertMessages(work, id, randomUUID(), [message]);
      return id;
    });
  const [open, closed] = [await newProject('open'), await newProject('closed')];
  const member = await store.transaction(owner, async (work) => {
    const { id } = await addMember(work, { name: 'Ben', role: 'member' });
    await setShare(work, open, { member: id, access: 'write' });
    await createKey(work, { member: owner.member, scopes: ['admin'] });
    await recordAudit(work, { action: 'member.add', object: id });
    return { team: owner.team, member: id };
  });
  return { owner, member, open, closed };
}

type Ask = (text: string, values?: unknown[]) => Promise<readonly Record<string, unknown>[]>;

/** Runs SQL under the server's role as any team and member, and rolls back. */
async function as<T>(caller: Caller, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(`BEGIN; SET LOCAL ROLE ${app}`);
    await client.query(
      "SELECT set_config('tidemark.team', $1, true), set_config('tidemark.member', $2, true)",
      [caller.team, caller.member],
    );
    return await work(
      async (text, values) => (await client.query<Record<string, unknown>>(text, values)).rows,
    );
  } finally {
    await client.query('ROLLBACK');
    await client.end();
  }
}

async function asSuperuser(
  statement: string,
): Promise<{ readonly rows: readonly Record<string, unknown>[] }> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
