/** Machines that wait for changes: what ends a wait, and what a waiting machine may not do. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { SharedProject, Waited } from '../../src/exchange/sync/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait-for.ts';
import { Api, type Answer, type ApiOptions, type Person } from './_api.ts';
import { asSuperuser } from './_rows.ts';

const { skip } = postgresql;

describe('a machine that waits for changes', { skip }, () => {
  let postgres: Postgres;
  let database: string;
  let api: Api;
  let other: Api;
  let ada: Person;
  let ben: Person;
  let open: SharedProject;
  before(async () => {
    postgres = await startPostgres();
    database = await postgres.newOwnedDatabase();
    api = await Api.open(database);
    other = await Api.open(database);
    await Promise.all([api.live(), other.live()]);
    ada = await api.team('Harbour', 'Ada');
    ben = await api.member(ada.team, 'Ben', 'member');
    open = await api.project(ada, 'open');
  });
  after(async () => {
    await api?.close();
    await other?.close();
    await postgres?.remove();
  });

  /** Resolves when the server has heard of everything that was committed so far. */
  const allHeard = async (at: Api): Promise<void> => {
    const marker = randomUUID();
    const heard = Promise.withResolvers<void>();
    const stop = at.store.notices.hear((notice) => notice?.team === marker && heard.resolve());
    await asSuperuser(database, (sql) => sql("SELECT pg_notify('tidemark', $1)", [marker]));
    await heard.promise.finally(stop);
  };
  const ask = async (at: Api, { key }: Person, after: number, id = open.id): Promise<Answer<Waited>> => {
    await allHeard(at);
    return at.ask<Waited>(key, 'POST', '/v1/changes/wait', { projects: [{ id, after }] });
  };
  const lastOf = async (): Promise<number> => {
    const path = `/v1/projects/${open.id}/changes?limit=500`;
    return Number((await api.ask(ada.key, 'GET', path)).body['next']);
  };
  const waits = (at: Api, n = 1) =>
    waitFor('a waiting machine', async () =>
      (await at.ask(undefined, 'GET', '/metrics')).text.includes(`tidemark_waiting_machines ${n}\n`),
    );
  const withOwn = async (options: ApiOptions, work: (own: Api) => Promise<void>): Promise<void> => {
    const own = await (await Api.open(database, options)).live();
    await work(own).finally(() => own.close());
  };

  test('is answered by a change at another server, and holds no connection until then', async () => {
    const waiting = ask(api, ben, await lastOf());
    await waits(api);
    // It looks once when it begins.
    await waitFor('an idle pool', () => api.store.load.connections === api.store.load.idle);
    await other.push(ada, open, 'The pilot changed');
    assert.deepEqual((await waiting).body, { changed: [open.id], gone: [], spreadMs: 0 });
  });

  test('is answered at once if it has missed a change', async () => {
    await api.push(ada, open, 'Something is there');
    assert.deepEqual((await ask(api, ben, 0)).body, { changed: [open.id], gone: [], spreadMs: 0 });
  });

  test('gets the projects that are not shared with it as gone, and no change of theirs', async () => {
    const { body: closed } = await api.ask<SharedProject>(ada.key, 'POST', '/v1/projects', {
      name: 'closed',
      keys: ['git:closed'],
      with: 'nobody',
    });
    assert.deepEqual((await ask(api, ben, 0, closed.id)).body.gone, [closed.id]);
    await api.ask(ada.key, 'PUT', `/v1/projects/${closed.id}/shares/${ben.id}`, { access: 'read' });
    const waiting = ask(api, ben, 0, closed.id);
    await waits(api);
    await other.ask(ada.key, 'DELETE', `/v1/projects/${closed.id}/shares/${ben.id}`);
    assert.equal((await waiting).status, 200);
    assert.deepEqual((await ask(api, ben, 0, closed.id)).body.gone, [closed.id]);
  });

  test('goes on waiting when the access of others changes', async () => {
    const waiting = ask(api, ben, await lastOf());
    await waits(api);
    const key = await other.key(ada.team, ada.id, ['read']);
    await other.operator.revokeKey({ team: ada.team, id: key.split('_')[1] ?? '' });
    await other.push(ada, open, 'After the revocation');
    assert.deepEqual((await waiting).body.changed, [open.id]);
  });

  test('is refused as soon as its key is revoked at another server', async () => {
    const key = await api.key(ada.team, ben.id, ['read']);
    const waiting = ask(api, { ...ben, key }, await lastOf());
    await waits(api);
    await other.operator.revokeKey({ team: ada.team, id: key.split('_')[1] ?? '' });
    assert.equal((await waiting).status, 401);
  });

  test('is answered with nothing when the time is over', async () => {
    await withOwn({ waits: { longestMs: 50 } }, async (own) => {
      assert.deepEqual((await ask(own, ben, await lastOf())).body, { changed: [], gone: [], spreadMs: 0 });
    });
  });

  test('is refused above the limits of its member and of the server', async () => {
    const after = await lastOf();
    await withOwn({ waits: { mostPerMember: 1, most: 2 } }, async (own) => {
      const first = ask(own, ben, after);
      await waits(own);
      const another = { ...ben, key: await own.key(ben.team, ben.id, ['read']) };
      assert.equal((await ask(own, another, after)).status, 429, 'with another key too');
      const second = ask(own, ada, after);
      await waits(own, 2);
      const third = await own.member(ada.team, 'Third', 'reader');
      const refused = await ask(own, third, after);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      await other.push(ada, open, 'The end of both waits');
      for (const one of await Promise.all([first, second])) {
        assert.deepEqual(one.body.changed, [open.id]);
        assert.ok(one.body.spreadMs > 0, 'two machines do not pull at the same moment');
      }
    });
  });

  test('is forgotten when it hangs up', async () => {
    const after = await lastOf();
    await allHeard(api);
    const over = new AbortController();
    const hungUp = fetch(`http://127.0.0.1:${api.port}/v1/changes/wait`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ben.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ projects: [{ id: open.id, after }] }),
      signal: over.signal,
    });
    await waits(api);
    over.abort();
    await assert.rejects(hungUp);
    await waits(api, 0);
  });

  test('is answered when the server shuts down', async () => {
    const own = await (await Api.open(database)).live();
    const waiting = ask(own, ben, await lastOf());
    await waits(own);
    await own.close();
    assert.deepEqual((await waiting).body.changed, []);
  });
});
