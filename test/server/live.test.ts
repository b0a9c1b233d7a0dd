/** Notices of changes between two servers of one database, and the live events of the hub that they drive. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Notice } from '../../src/server/store/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { Api } from './_api.ts';
import { asSuperuser } from './_rows.ts';
import { listenTo, login, openTeamHub, type TeamHub } from './_team-hub.ts';

const { skip } = postgresql;

describe('two servers of one database', { skip }, () => {
  let postgres: Postgres;
  let database: string;
  let hub: TeamHub;
  let other: Api;
  const heard: (Notice | undefined)[] = [];
  before(async () => {
    postgres = await startPostgres();
    database = await postgres.newOwnedDatabase();
    hub = await openTeamHub(database);
    other = await Api.open(database);
    await Promise.all([hub.api.live(), other.live()]);
    hub.api.store.notices.hear((notice) => heard.push(notice));
  });
  after(async () => {
    await hub?.api.close();
    await other?.close();
    await postgres?.remove();
  });

  test('a push at one server reaches an open page of the other', async () => {
    const stream = await listenTo(hub, await login(hub, hub.ben));
    const id = await other.push(hub.ada, hub.open, 'A lantern was added');
    await waitFor('the event', () => stream.text().includes(id));
    assert.doesNotMatch(stream.text(), /lantern/);
    stream.stop();
  });

  test('a transaction sends one notice, with the ids of its team and project', async () => {
    heard.length = 0;
    await other.push(hub.ada, hub.closed, 'The mooring is repaired');
    await waitFor('the notice', () => heard.length > 0);
    assert.deepEqual(heard, [{ team: hub.ada.team, projects: [hub.closed.id] }]);
  });

  test('a transaction that fails or only reads sends none', async () => {
    heard.length = 0;
    const caller = { team: hub.ada.team, member: hub.ada.id };
    const failing = other.store.transaction(caller, async (work) => {
      work.changed(hub.open.id);
      throw new Error('given up');
    });
    await assert.rejects(failing);
    await other.ask(hub.ada.key, 'GET', '/v1/members');
    await other.push(hub.ada, hub.open, 'The last one');
    await waitFor('the last notice', () => heard.length > 0);
    assert.deepEqual(heard, [{ team: hub.ada.team, projects: [hub.open.id] }]);
  });

  test('a revoked key ends the pages of its visits at the other server', async () => {
    const key = await other.key(hub.ada.team, hub.ben.id, ['read']);
    const stream = await listenTo(hub, await login(hub, { ...hub.ben, key }));
    await other.operator.revokeKey({ team: hub.ada.team, id: key.split('_')[1] ?? '' });
    await stream.ended;
  });

  test('a broken connection is opened again, and what changed meanwhile is found', async () => {
    const stream = await listenTo(hub, await login(hub, hub.ben));
    const away = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidemark-live'`;
    await asSuperuser(postgres.urlOf(new URL(database).pathname.slice(1)), (ask) => ask(away));
    const id = await other.push(hub.ada, hub.open, 'Pushed while nothing was heard');
    await waitFor('the event', () => stream.text().includes(id));
    await hub.api.live();
    heard.length = 0;
    const again = await other.push(hub.ada, hub.open, 'Pushed afterwards');
    await waitFor('the event', () => stream.text().includes(again));
    assert.match(hub.api.log.join(''), /polling for changes.*listening for changes/s);
    stream.stop();
  });
});
