/** The team server behind a real PgBouncer in transaction mode, with and without a direct address of the database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SharedProject, Waited } from '../../src/exchange/sync/index.ts';
import { TeamStore } from '../../src/server/store/index.ts';
import { Machine } from '../support/machine.ts';
import { pgbouncer, startPgBouncer, type PgBouncer } from '../support/pgbouncer.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { startTeamServer } from '../support/team-server.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Api, Person } from './_api.ts';
import { operator } from './_operator.ts';
import { listenTo, login, openTeamHub } from './_team-hub.ts';

const skip = postgresql.skip ?? pgbouncer.skip;

describe('behind PgBouncer', { skip }, () => {
  let postgres: Postgres;
  let pooler: PgBouncer;
  const databases: string[] = [];
  const next = (): string => databases.shift() ?? '';
  before(async () => {
    postgres = await startPostgres();
    for (let n = 0; n < 4; n++) databases.push(await postgres.newOwnedDatabase());
    pooler = await startPgBouncer(databases);
  });
  after(async () => {
    await pooler?.stop();
    await postgres?.remove();
  });

  /** Pushes, pulls and searches many at once, so that transactions use different connections of the pooler. */
  async function works(api: Api, who: Person, project: SharedProject): Promise<void> {
    const titles = Array.from({ length: 24 }, (_, n) => `Bollard${n} is checked in spring`);
    await Promise.all(titles.map((title) => api.push(who, project, title)));
    const found = await Promise.all(
      titles.map((_, n) => api.ask(who.key, 'POST', '/v1/search', { query: `bollard${n}` })),
    );
    for (const [n, { status, text }] of found.entries()) {
      assert.equal(status, 200, text);
      assert.match(text, new RegExp(`Bollard${n} is`));
    }
  }

  test('requests, live events and waits work with a direct address too', async () => {
    const database = next();
    const hub = await openTeamHub(pooler.urlOf(database), { direct: database });
    try {
      await hub.api.live();
      assert.equal(hub.api.store.isPooled, true);
      await works(hub.api, hub.ada, hub.open);
      const stream = await listenTo(hub, await login(hub, hub.ben));
      const { body } = await hub.api.ask(
        hub.ben.key,
        'GET',
        `/v1/projects/${hub.open.id}/changes?after=0&limit=500`,
      );
      const waiting = hub.api.ask<Waited>(hub.ben.key, 'POST', '/v1/changes/wait', {
        projects: [{ id: hub.open.id, after: body['next'] }],
      });
      const id = await hub.api.push(hub.ada, hub.open, 'Seen through the pooler');
      await waitFor('the event', () => stream.text().includes(id));
      assert.deepEqual((await waiting).body.changed, [hub.open.id]);
      stream.stop();
    } finally {
      await hub.api.close();
    }
  });

  test('without a direct address the server polls, and says so', async () => {
    const database = next();
    await (await TeamStore.open({ database })).close();
    const hub = await openTeamHub(pooler.urlOf(database));
    try {
      assert.match(hub.api.log.join(''), /"polling for changes".*pooler.*--direct-database/);
      await works(hub.api, hub.ada, hub.open);
      const stream = await listenTo(hub, await login(hub, hub.ben));
      const id = await hub.api.push(hub.ada, hub.open, 'Found by polling');
      await waitFor('the event', () => stream.text().includes(id));
      stream.stop();
      const { body } = await hub.api.ask<Waited>(hub.ben.key, 'POST', '/v1/changes/wait', {
        projects: [{ id: hub.open.id, after: 0 }],
      });
      assert.deepEqual(body.changed, [hub.open.id]);
    } finally {
      await hub.api.close();
    }
  });

  test('the schema is created through the direct address only', async (t) => {
    const machine = Machine.open(t);
    const database = next();
    const pooled = pooler.urlOf(database);
    const refused = await operator(machine, pooled)('init', '--owner', 'Ada');
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /pooler[\s\S]*hint: .*--direct-database/);
    const made = await operator(machine, pooled)(
      'init',
      '--owner',
      'Ada',
      '--direct-database',
      database,
      '--json',
    );
    assert.equal(made.code, 0, made.stderr);
    const doctor = await operator(machine, pooled)('doctor', '--direct-database', database);
    assert.match(doctor.stdout, /schema +\d+, current/);
  });

  test('the server program creates the schema and listens through the direct address', async (t) => {
    const database = next();
    const server = await startTeamServer(pooler.urlOf(database), { args: ['--direct-database', database] });
    t.after(() => server.stop());
    await waitFor('notices', () => server.log.some(({ message }) => message === 'listening for changes'));
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  });
});
