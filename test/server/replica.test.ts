/** Reads on a real streaming replica: used when it has caught up, skipped when it lags or is down. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SharedProject } from '../../src/exchange/sync/index.ts';
import { postgresql, startPostgres, type Postgres, type Replica } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { Api, type Person } from './_api.ts';

const { skip } = postgresql;

describe('a server with a replica', { skip }, () => {
  let postgres: Postgres;
  let replica: Replica;
  let api: Api;
  /** Another server of the same database, without a replica. */
  let other: Api;
  let ada: Person;
  let ben: Person;
  let open: SharedProject;
  before(async () => {
    // Otherwise commits reach the log, and with it the replica, up to a second later.
    postgres = await startPostgres({ settings: { synchronous_commit: 'on', max_wal_senders: '4' } });
    const database = await postgres.newOwnedDatabase();
    other = await Api.open(database);
    replica = await postgres.replicate();
    api = await Api.open(database, { replica: replica.urlOf(database) });
    ada = await api.team('Harbour', 'Ada');
    ben = await api.member(ada.team, 'Ben', 'member');
    open = await api.project(ada, 'open');
  });
  after(async () => {
    await api?.close();
    await other?.close();
    await postgres?.remove();
  });

  const reads = (): number => api.store.replica?.counts.reads ?? 0;
  const search = async (who: Person, query: string): Promise<string> => {
    const { status, text } = await api.ask(who.key, 'POST', '/v1/search', { query });
    assert.equal(status, 200, text);
    return text;
  };
  /** Resolves after a search on the replica. */
  const inUse = () =>
    waitFor('a read on the replica', async () => {
      const before = reads();
      await search(ada, 'anything');
      return reads() > before;
    });

  test('searches on the replica once it has caught up', async () => {
    await api.push(ada, open, 'The sextant is calibrated');
    await inUse();
    assert.match(await search(ben, 'sextant'), /calibrated/);
    assert.match(api.log.join(''), /read database in use/);
  });

  test('shows every change at once, and answers while the replica lags', async () => {
    await inUse();
    await replica.ask('SELECT pg_wal_replay_pause()');
    await waitFor('the pause', () => isPaused());
    for (const at of [api, other]) {
      const word = at === api ? 'astrolabe' : 'barometer';
      await at.push(ada, open, `The ${word} is new`);
      assert.match(await search(ben, word), new RegExp(`The ${word} is new`));
    }
    await waitFor('the log line', async () => {
      await search(ben, 'barometer');
      return /read database skipped.*lags/.test(api.log.join(''));
    });
    assert.match((await api.ask(undefined, 'GET', '/metrics')).text, /tidemark_replica_skipped [1-9]/);
    await replica.ask('SELECT pg_wal_replay_resume()');
    await inUse();
    assert.match(await search(ben, 'astrolabe'), /astrolabe is new/);
  });

  test('hides a project at once when it is no longer shared, also while the replica lags', async () => {
    await inUse();
    await replica.ask('SELECT pg_wal_replay_pause()');
    await waitFor('the pause', () => isPaused());
    await other.ask(ada.key, 'DELETE', `/v1/projects/${open.id}/shares/everyone`);
    assert.doesNotMatch(await search(ben, 'sextant'), /calibrated/);
    await replica.ask('SELECT pg_wal_replay_resume()');
    await other.ask(ada.key, 'PUT', `/v1/projects/${open.id}/shares/everyone`, { access: 'write' });
  });

  test('answers without the replica, and uses it again when it is back', async () => {
    await inUse();
    await replica.stop();
    assert.match(await search(ada, 'sextant'), /calibrated/);
    await replica.start();
    await inUse();
  });

  test('never reads on a replica that was promoted', async () => {
    await inUse();
    await replica.ask('SELECT pg_promote()');
    await other.ask(ada.key, 'DELETE', `/v1/projects/${open.id}/shares/everyone`);
    const before = reads();
    assert.doesNotMatch(await search(ben, 'sextant'), /calibrated/);
    assert.equal(reads(), before);
  });

  async function isPaused(): Promise<boolean> {
    return replica.ask("DO $$ BEGIN ASSERT pg_get_wal_replay_pause_state() = 'paused'; END $$").then(
      () => true,
      () => false,
    );
  }
});
