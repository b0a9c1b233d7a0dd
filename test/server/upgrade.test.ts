/**
 * Upgrades without downtime: a running server continues while a newer one migrates the schema, an older one does not
 * start on it, and only a server start or `server init` changes a schema.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import type { PullAnswer, PushAnswer, SharedProject } from '../../src/exchange/sync/index.ts';
import { newestMigration } from '../../src/server/store/index.ts';
import { Machine } from '../support/machine.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { startTeamServer } from '../support/team-server.ts';
import { entryOf, put } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import { operator } from './_operator.ts';

const { skip } = postgresql;
const NEWEST = newestMigration();
let postgres: Postgres;

before(async () => {
  if (!skip) postgres = await startPostgres();
});

after(async () => {
  await postgres?.remove();
});

async function sql(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const done = await client.query<Record<string, unknown>>(text);
    return done.rows;
  } finally {
    await client.end();
  }
}

/** A migration of a later release: adds without removing, and locks in the same order as requests. */
const NEXT_EXPAND = `BEGIN;
  ALTER TABLE tidemark.project ADD COLUMN colour text NOT NULL DEFAULT 'sea';
  ALTER TABLE tidemark.memory ADD COLUMN mood text;
  CREATE TABLE tidemark.later (team_id uuid NOT NULL, id uuid NOT NULL, PRIMARY KEY (team_id, id));
  ALTER TABLE tidemark.later ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
  INSERT INTO tidemark.migration (number, name) VALUES (${NEWEST + 1}, 'of a later release');
  COMMIT`;

test('doctor changes neither an empty database nor an older schema', { skip }, async (t) => {
  const machine = Machine.open(t);
  const database = await postgres.newDatabase();
  const run = operator(machine, database);
  const empty = await run('doctor');
  assert.equal(empty.code, 1);
  assert.match(empty.stdout, /schema +not created yet/);
  assert.match(empty.stdout, /tidemark server init/);
  assert.deepEqual(await sql(database, "SELECT to_regnamespace('tidemark') AS there"), [{ there: null }]);
  const none = await run('member', 'list');
  assert.match(none.stderr, /no Tidemark schema yet\n.*tidemark server init/);
  assert.deepEqual(await sql(database, "SELECT to_regnamespace('tidemark') AS there"), [{ there: null }]);

  assert.match((await run('init')).stdout, /^Schema created\./);
  const last = 'SELECT max(number) AS done FROM tidemark.migration';
  await sql(database, `DELETE FROM tidemark.migration WHERE number = ${NEWEST}`);
  const older = await run('doctor');
  assert.match(older.stdout, new RegExp(`schema +${NEWEST - 1}; pending: ${NEWEST} \\(`));
  const keys = await run('key', 'list');
  assert.equal(keys.code, 1);
  assert.match(keys.stderr, new RegExp(`schema ${NEWEST - 1}, this program needs ${NEWEST}`));
  assert.deepEqual(await sql(database, last), [{ done: NEWEST - 1 }]);
});

test(
  'a running server serves every request on a newer schema, but does not start on it',
  { skip },
  async (t) => {
    const machine = Machine.open(t);
    const database = await postgres.newDatabase();
    const run = operator(machine, database);
    const made = JSON.parse((await run('init', '--owner', 'Ada', '--json')).stdout) as {
      made: { key: { secret: string } };
    };
    const server = await startTeamServer(database, { args: ['--rate', '100000'] });
    t.after(() => server.stop());
    const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const answer = await fetch(server.url + path, {
        method,
        headers: {
          authorization: `Bearer ${made.made.key.secret}`,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assert.ok(answer.ok, `${method} ${path} ${answer.status}`);
      return (await answer.json()) as T;
    };
    const { id } = await ask<SharedProject>('POST', '/v1/projects', { name: 'up', keys: ['git:up'] });
    const state = { isOver: false, pushed: 0 };
    const clients = [0, 1, 2].map(async (client) => {
      for (let n = 0; !state.isOver; n++) {
        const changes = [put(entryOf(`Said by ${client}, number ${n}`))];
        await ask<PushAnswer>('POST', `/v1/projects/${id}/changes`, {
          changes,
          idempotencyKey: `upgrade-${client}-${n}`,
        });
        state.pushed++;
      }
    });
    await waitFor('pushes before', () => state.pushed > 20);
    await sql(database, NEXT_EXPAND);
    const before = state.pushed;
    await waitFor('pushes after', () => state.pushed > before + 20);
    state.isOver = true;
    await Promise.all(clients);
    const { changes } = await ask<PullAnswer>('GET', `/v1/projects/${id}/changes`);
    assert.equal(changes.length, state.pushed);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    await ask('POST', '/v1/search', { query: 'said by' });

    const refused = await run('--listen', '127.0.0.1:0');
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /of a newer Tidemark \(schema \d+\).*upgrade/i);
    assert.match((await run('doctor')).stdout, /of a newer Tidemark; this one knows/);
    assert.equal((await run('member', 'list')).code, 0, 'keys and members can still be managed');
  },
);
