/** The hub of a team over HTTP: login, what each member sees and may change, and the end of a visit. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PullAnswer } from '../../src/exchange/sync/index.ts';
import type {
  Changed,
  ErrorBody,
  Found,
  Here,
  Members,
  MemoryDetail,
  MemoryList,
  Overview,
  ProjectCard,
} from '../../src/http/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf } from '../support/team.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Answer, Person } from './_api.ts';
import {
  cookieIn,
  listenTo,
  login,
  openTeamHub,
  origin,
  projectPageOf,
  push,
  type TeamHub,
  type Visitor,
} from './_team-hub.ts';

const { skip } = postgresql;

describe('the hub of a team', { skip }, () => {
  let postgres: Postgres;
  let hub: TeamHub;
  before(async () => {
    postgres = await startPostgres();
    hub = await openTeamHub(await postgres.newOwnedDatabase());
  });
  after(async () => {
    await hub?.api.close();
    await postgres?.remove();
  });

  const get = <T>(who: Visitor, path: string, headers: Readonly<Record<string, string>> = {}) =>
    hub.api.ask<T>(undefined, 'GET', `/hub/api${path}`, undefined, { ...who.headers, ...headers });
  const tell = <T>(who: Visitor, path: string, body: unknown = {}) =>
    hub.api.ask<T>(undefined, 'POST', `/hub/api${path}`, body, who.headers);
  const newestOf = async (who: Visitor, query = ''): Promise<MemoryList['memories'][number]> => {
    const { body } = await get<MemoryList>(who, `/memories?project=${hub.open.id}&limit=1${query}`);
    const [first] = body.memories;
    assert.ok(first);
    return first;
  };
  const pulled = async (who: Person, id: string) => {
    const path = `/v1/projects/${hub.open.id}/changes?after=0`;
    const { body } = await hub.api.ask<PullAnswer>(who.key, 'GET', path);
    return body.changes.find((change) => (change.op === 'put' ? change.entry.id : change.id) === id);
  };
  const enter = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    hub.api.ask(undefined, 'GET', path, undefined, headers);
  const linkOf = async ({ key }: Person): Promise<string> => {
    const { status, body } = await hub.api.ask<{ key: string }>(key, 'POST', '/v1/hub/links');
    assert.equal(status, 201);
    return `/hub/enter?key=${body.key}`;
  };

  describe('login', () => {
    test('a key logs in, with a cookie for the hub only that no script can read', async () => {
      const { api, ada } = hub;
      const answer = await api.ask(undefined, 'POST', '/hub/login', { key: ada.key }, origin(api));
      assert.equal(answer.status, 200);
      const [set = ''] = answer.headers['set-cookie'] ?? [];
      assert.match(
        set,
        /^tidemark-team-\d+=[a-z0-9]{12}_[\w-]{43}; Path=\/hub\/; HttpOnly; SameSite=Strict$/,
      );
      const { status, body } = await get<Here>(await projectPageOf(api, cookieIn(answer)), '/here');
      assert.equal(status, 200);
      assert.deepEqual(
        { ...body, version: '', agents: {} },
        {
          kind: 'team',
          agents: {},
          version: '',
          team: 'Harbour',
          member: { id: ada.id, name: 'Ada', role: 'owner' },
          mayWrite: true,
          isTrial: false,
        },
      );
    });

    test('a link logs in once, even with two simultaneous requests, and a prefetch does not use it up', async () => {
      const link = await linkOf(hub.ben);
      assert.equal((await enter(link, { 'sec-purpose': 'prefetch' })).status, 401);
      const answers = await Promise.all([enter(link), enter(link)]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 401]);
      const first = answers.find(({ status }) => status === 303);
      assert.equal(first?.headers.location, '/hub/');
      const visitor = await projectPageOf(hub.api, cookieIn(first as Answer));
      const { body } = await get<Extract<Here, { kind: 'team' }>>(visitor, '/here');
      assert.equal(body.member.name, 'Ben');
      assert.equal((await enter(link)).status, 401);
    });

    test('a link of a revoked key is refused', async () => {
      const { api, ben } = hub;
      const key = await api.key(ben.team, ben.id, ['read']);
      const link = await linkOf({ ...ben, key });
      await api.operator.revokeKey({ team: ben.team, id: key.split('_')[1] ?? '' });
      assert.equal((await enter(link)).status, 401);
    });

    test('without a cookie only the login page is served', async () => {
      const page = await enter('/hub/projects', { accept: 'text/html' });
      assert.equal(page.status, 401);
      assert.match(page.text, /<form>/);
      assert.match(page.text, /src="\/hub\/login.js"/);
      assert.equal((await enter('/hub/main.js')).status, 401);
      assert.equal((await enter('/hub/api/overview')).status, 401);
      assert.equal((await enter('/hub')).headers.location, '/hub/');
    });

    test('the page’s key is issued until it is used, and a cookie alone is not enough', async () => {
      const { api } = hub;
      const visitor = await login(hub, hub.ben);
      const { 'tidemark-page': _, ...cookieOnly } = visitor.headers;
      assert.equal((await api.ask(undefined, 'GET', '/hub/api/here', undefined, cookieOnly)).status, 401);
      assert.equal((await get(visitor, '/here')).status, 200);
      const again = await api.ask(undefined, 'POST', '/hub/api/page-key', {}, cookieOnly);
      assert.equal(again.status, 401);
    });

    test('after too many wrong keys an address has to wait, other addresses do not', async () => {
      const { api, ada } = hub;
      // With a fixed clock, so that a slow machine does not earn another attempt.
      const now = new Date();
      const other = await openTeamHub(await postgres.newOwnedDatabase(), { now: () => now });
      const tried: number[] = [];
      for (let i = 0; i < 25; i++) {
        const key = `tmk_abcdefghijkl_${'x'.repeat(43)}`;
        tried.push((await other.api.ask(undefined, 'POST', '/hub/login', { key }, origin(other.api))).status);
      }
      assert.equal(tried[0], 401);
      assert.equal(tried.at(-1), 429);
      await other.api.close();
      assert.equal((await api.ask(ada.key, 'GET', '/v1/me')).status, 200);
    });
  });

  describe('foreign requests', () => {
    test('another host, origin or site is refused', async () => {
      const { api, ada } = hub;
      const visitor = await login(hub, ada);
      for (const wrong of [
        { host: 'evil.example' },
        { host: `evil.example:${api.port}` },
        { origin: 'http://evil.example' },
        { origin: 'null' },
        { origin: `http://localhost:${api.port + 1}` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const told = JSON.stringify(wrong);
        assert.equal((await get(visitor, '/overview', wrong)).status, 403, told);
        const headers = { ...visitor.headers, ...wrong };
        const { status } = await api.ask(undefined, 'POST', '/hub/api/logout', {}, headers);
        assert.equal(status, 403, told);
        const body = { key: ada.key };
        assert.equal(
          (await api.ask(undefined, 'POST', '/hub/login', body, { ...origin(api), ...wrong })).status,
          403,
          told,
        );
      }
      assert.equal((await get(visitor, '/overview')).status, 200);
    });

    test('a change without an origin or without JSON is refused', async () => {
      const { api } = hub;
      const { headers } = await login(hub, hub.ada);
      const { origin: _, 'sec-fetch-site': __, ...silent } = headers;
      assert.equal((await api.ask(undefined, 'POST', '/hub/api/logout', {}, silent)).status, 403);
      const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
      assert.equal((await api.ask(undefined, 'POST', '/hub/api/logout', 'a=b', form)).status, 415);
      assert.equal((await api.ask(undefined, 'DELETE', '/hub/api/logout', undefined, headers)).status, 405);
    });

    test('behind a proxy the cookie is secure, and the origin is that of the proxy', async () => {
      const other = await openTeamHub(await postgres.newOwnedDatabase(), { behindProxy: true });
      try {
        const ask = (headers: Readonly<Record<string, string>>) =>
          other.api.ask(undefined, 'POST', '/hub/login', { key: other.ada.key }, headers);
        const host = 'memory.example.com';
        const answer = await ask({ host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' });
        assert.equal(answer.status, 200);
        const [set = ''] = answer.headers['set-cookie'] ?? [];
        assert.match(set, /^__Secure-tidemark-team=\S+; Path=\/hub\/; HttpOnly; Secure; SameSite=Strict$/);
        assert.equal((await ask({ host, origin: `http://${host}` })).status, 403);
        assert.equal((await ask({ host, origin: 'https://evil.example' })).status, 403);
      } finally {
        await other.api.close();
      }
    });

    test('every answer forbids frames and scripts of other origins', async () => {
      for (const path of ['/hub/', '/hub/api/overview', '/hub/login.js']) {
        const { headers } = await enter(path, { accept: 'text/html' });
        assert.match(String(headers['content-security-policy']), /script-src 'self'.*frame-ancestors 'none'/);
        assert.equal(headers['x-frame-options'], 'DENY');
      }
      const { headers } = await hub.api.ask(hub.ada.key, 'GET', '/v1/me');
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; frame/);
    });

    test('no path reaches the file system, and other methods are refused', async () => {
      const { headers } = await login(hub, hub.ada);
      for (const path of [
        '/hub/../server.cjs',
        '/hub/%2e%2e/server.cjs',
        '/hub/..%2fserver.cjs',
        '/hub/x.map',
      ])
        assert.equal((await hub.api.ask(undefined, 'GET', path, undefined, headers)).status, 404, path);
    });
  });

  describe('reading', () => {
    test('the overview counts only what is shared with the caller', async () => {
      const [ada, rea] = [await login(hub, hub.ada), await login(hub, hub.rea)];
      const all = (await get<Overview>(ada, '/overview?zone=Europe/Vienna')).body;
      const hers = (await get<Overview>(rea, '/overview?zone=Europe/Vienna')).body;
      assert.deepEqual([all.memories, all.projects, all.authors], [101, 2, 2]);
      assert.deepEqual([hers.memories, hers.projects, hers.authors], [100, 1, 2]);
      assert.equal(hers.kindsOverTime.length, 26);
      const byDay = hers.heatmap.reduce((sum, { count }) => sum + count, 0);
      const byKind = hers.kindsOverTime
        .flatMap(({ counts }) => Object.values(counts))
        .reduce((sum, n) => sum + n, 0);
      assert.equal(byKind, byDay);
      const before = hers.beforeWeek + hers.week.reduce((sum, { count }) => sum + count, 0);
      assert.equal(before, 100);
      assert.ok(hers.activeDays > 40);
      assert.equal(hers.health, undefined);
      assert.equal((await get(rea, '/overview?zone=Mars/Olympus')).status, 400);
    });

    test('an unshared project is not in lists, search, pages, memories or the team view', async () => {
      const [ada, rea] = [await login(hub, hub.ada), await login(hub, hub.rea)];
      const { body } = await get<MemoryList>(ada, `/memories?project=${hub.closed.id}`);
      const [secret] = body.memories;
      assert.match(secret?.title ?? '', /cobaltblue/);
      for (const path of [
        '/projects',
        '/memories?limit=200',
        `/memories?project=${hub.closed.id}`,
        `/projects/${hub.closed.id}`,
        `/memories/${secret?.id}`,
        '/search?q=cobaltblue',
        '/members',
        '/overview',
      ]) {
        const { status, text } = await get(rea, path);
        assert.ok([200, 404].includes(status), path);
        assert.doesNotMatch(text, /quay-notes|cobaltblue is|painted/, path);
      }
      assert.equal((await get(rea, `/projects/${hub.closed.id}`)).status, 404);
      assert.equal((await get(rea, `/memories/${secret?.id}`)).status, 404);
      for (const q of ['cobaltblue', 'quay%20project:quay-notes'])
        assert.equal((await get<Found>(rea, `/search?q=${q}`)).body.hits.length, 0);
      assert.match(
        (await get<Found>(ada, '/search?q=cobaltblue')).body.hits[0]?.memory.title ?? '',
        /cobaltblue/,
      );
    });

    test('pages of memories have the full counts per day and the authors', async () => {
      const ben = await login(hub, hub.ben);
      const path = `/memories?project=${hub.open.id}&limit=60&zone=UTC`;
      const first = (await get<MemoryList>(ben, path)).body;
      assert.equal(first.total, 100);
      assert.equal(first.memories.length, 60);
      const second = (await get<MemoryList>(ben, `${path}&before=${encodeURIComponent(first.next ?? '')}`))
        .body;
      assert.equal(second.next, null);
      assert.equal(new Set([...first.memories, ...second.memories].map(({ id }) => id)).size, 100);
      assert.deepEqual(new Set(first.memories.map(({ author }) => author)), new Set(['Ada']));
      const counted = [
        ...new Map([...first.days, ...second.days].map((day) => [day.date, day.count])).values(),
      ];
      assert.equal(
        counted.reduce((sum, n) => sum + n, 0),
        100,
      );
      const issues = (await get<MemoryList>(ben, `${path}&kind=issue&state=open`)).body;
      assert.ok(issues.total > 5 && issues.memories.every(({ kind }) => kind === 'issue'));
    });

    test('a search marks words, explains the score and names the author', async () => {
      const ben = await login(hub, hub.ben);
      const { body } = await get<Found>(ben, '/search?q=exclusion%20constraint&kind=decision');
      const [hit] = body.hits;
      assert.ok(hit && Array.isArray(hit.parts) && hit.matched.includes('exclusion'));
      assert.equal(hit.memory.kind, 'decision');
      assert.ok(hit.memory.author);
    });

    test('project cards and pages show kinds and authors', async () => {
      const rea = await login(hub, hub.rea);
      const { body } = await get<readonly ProjectCard[]>(rea, '/projects');
      assert.deepEqual(
        body.map(({ name, memories, authors }) => ({ name, memories, authors })),
        [{ name: 'harbour-api', memories: 100, authors: ['Ada', 'Ben'] }],
      );
    });

    test('owners see all keys and the audit log, others only their own keys', async () => {
      const [ada, ben] = [await login(hub, hub.ada), await login(hub, hub.ben)];
      const gus = await hub.api.operator.addMember({ team: hub.ada.team, name: 'Gus', role: 'reader' });
      await hub.api.operator.removeMember({ team: hub.ada.team, who: gus.id });
      const all = (await get<Members>(ada, '/members')).body;
      const own = (await get<Members>(ben, '/members')).body;
      assert.deepEqual(
        all.members.map(({ name }) => name),
        ['Ada', 'Ben', 'Rea'],
      );
      assert.deepEqual(all.former, [{ id: gus.id, name: 'Gus' }], 'the log tells of them by name');
      assert.ok(new Set(all.keys.map(({ member }) => member)).size === 3);
      assert.deepEqual(new Set(own.keys.map(({ member }) => member)), new Set([hub.ben.id]));
      assert.doesNotMatch(JSON.stringify(all), /"(?:secret|hash)"/);
      const log = await get(ada, '/audit');
      assert.match(log.text, /"hub.login"/);
      assert.equal((await get(ben, '/audit')).status, 403);
    });
  });

  describe('changing', () => {
    test('an edit is redacted, reaches every machine and keeps the earlier text', async () => {
      const ben = await login(hub, hub.ben);
      const memory = await newestOf(ben, '&kind=decision');
      const { revision } = (await get<MemoryDetail>(ben, `/memories/${memory.id}`)).body;
      const patch = { title: 'Berths are held by the database', reason: `token ghp_${'a1B2'.repeat(9)}` };
      const { status, body } = await tell<Changed>(ben, `/memories/${memory.id}/edit`, { revision, patch });
      assert.equal(status, 200);
      assert.equal(body.memory.title, patch.title);
      assert.doesNotMatch(body.memory.reason ?? '', /ghp_/);
      const change = await pulled(hub.ada, memory.id);
      assert.ok(change?.op === 'put');
      assert.equal(change.entry.title, patch.title);
      assert.equal(change.entry.version.machine, 'team-hub');
      assert.equal(change.author.name, 'Ada');
      const detail = (await get<MemoryDetail>(ben, `/memories/${memory.id}`)).body;
      assert.equal(detail.gaveWay?.[0]?.title, memory.title);
      assert.deepEqual(detail.origin, { author: 'Ada', machine: 'ada-laptop' });
    });

    test('an edit of an outdated revision is refused with the current entry', async () => {
      const ada = await login(hub, hub.ada);
      const memory = await newestOf(ada, '&kind=bugfix');
      const { revision } = (await get<MemoryDetail>(ada, `/memories/${memory.id}`)).body;
      const path = `/memories/${memory.id}/edit`;
      await tell(ada, path, { revision, patch: { body: 'first' } });
      const late = await tell<ErrorBody>(ada, path, { revision, patch: { body: 'second' } });
      assert.equal(late.status, 409);
      assert.equal(late.body.present?.memory.body, 'first');
    });

    test('each of many simultaneous edits is either stored or refused', async () => {
      const ada = await login(hub, hub.ada);
      const memory = await newestOf(ada, '&kind=refactor');
      const bodies = Array.from({ length: 8 }, (_, i) => `text ${i}`);
      const answers = await Promise.all(
        bodies.map((body) => tell(ada, `/memories/${memory.id}/edit`, { patch: { body } })),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const detail = (await get<MemoryDetail>(ada, `/memories/${memory.id}`)).body;
      const kept = [detail.memory.body, ...(detail.gaveWay ?? []).map(({ body }) => body)];
      assert.deepEqual(kept.filter((body) => bodies.includes(body)).toSorted(), bodies);
    });

    test('only an issue can be resolved, and it can be opened again', async () => {
      const ben = await login(hub, hub.ben);
      const issue = await newestOf(ben, '&kind=issue');
      const resolved = await tell<Changed>(ben, `/memories/${issue.id}/resolve`);
      assert.equal(resolved.body.memory.state, 'resolved');
      assert.equal((await tell<Changed>(ben, `/memories/${issue.id}/reopen`)).body.memory.state, 'open');
      const other = await newestOf(ben, '&kind=pattern');
      assert.equal((await tell(ben, `/memories/${other.id}/resolve`)).status, 400);
    });

    test('both memories and the chain show a replacement', async () => {
      const ben = await login(hub, hub.ben);
      const [old, heir] = [await newestOf(ben, '&kind=feature'), await newestOf(ben, '&kind=discovery')];
      const { status } = await tell(ben, `/memories/${old.id}/supersede`, { by: heir.id });
      assert.equal(status, 200);
      const detail = (await get<MemoryDetail>(ben, `/memories/${heir.id}`)).body;
      assert.deepEqual(new Set(detail.chain.map(({ id }) => id)), new Set([old.id, heir.id]));
      const [there] = (await get<MemoryList>(await login(hub, hub.ada), `/memories?project=${hub.closed.id}`))
        .body.memories;
      assert.equal((await tell(ben, `/memories/${old.id}/supersede`, { by: there?.id })).status, 400);
      assert.equal((await tell(ben, `/memories/${old.id}/supersede`, { by: old.id })).status, 400);
    });

    test('forgetting writes a tombstone for every machine and an audit entry', async () => {
      const ben = await login(hub, hub.ben);
      const memory = await newestOf(ben, '&kind=dead_end');
      assert.equal((await tell(ben, `/memories/${memory.id}/forget`)).status, 200);
      assert.equal((await get(ben, `/memories/${memory.id}`)).status, 404);
      const change = await pulled(hub.ada, memory.id);
      assert.ok(change?.op === 'tombstone' && change.turn !== '' && change.hash !== '');
      const log = await get(await login(hub, hub.ada), '/audit');
      assert.match(log.text, new RegExp(memory.id));
    });

    test('a reader, a read-only share and a read-only key can change nothing', async () => {
      const { api, ada, ben, open } = hub;
      const readKey = await api.key(ben.team, ben.id, ['read']);
      const [rea, reading] = [await login(hub, hub.rea), await login(hub, { ...ben, key: readKey })];
      const memory = await newestOf(rea, '&kind=pattern');
      for (const who of [rea, reading]) {
        assert.deepEqual((await get<MemoryDetail>(who, `/memories/${memory.id}`)).body.actions, []);
        for (const [path, body] of [
          ['edit', { patch: { title: 'mine' } }],
          ['resolve', {}],
          ['reopen', {}],
          ['supersede', { by: memory.id }],
          ['forget', {}],
        ] as const)
          assert.equal((await tell(who, `/memories/${memory.id}/${path}`, body)).status, 403, path);
      }
      await api.ask(ada.key, 'PUT', `/v1/projects/${open.id}/shares/everyone`, { access: 'read' });
      const member = await login(hub, ben);
      assert.deepEqual((await get<MemoryDetail>(member, `/memories/${memory.id}`)).body.actions, []);
      assert.equal((await tell(member, `/memories/${memory.id}/forget`)).status, 403);
      await api.ask(ada.key, 'PUT', `/v1/projects/${open.id}/shares/everyone`, { access: 'write' });
      assert.equal((await pulled(ada, memory.id))?.op, 'put');
    });

    test('invalid requests and SQL in any field are refused', async () => {
      const ada = await login(hub, hub.ada);
      const sql = `'; DROP TABLE tidemark.memory; --`;
      for (const path of ['q', 'project', 'kind', 'since', 'file', 'limit', 'session', 'before', 'zone']) {
        for (const route of ['/search?q=x&', '/memories?', '/overview?', '/audit?']) {
          const { status } = await get(ada, `${route}${path}=${encodeURIComponent(sql)}`);
          assert.ok(status === 200 || status === 400, `${route}${path} ${status}`);
        }
      }
      for (const id of [sql, '..', 'x'.repeat(500), '%00']) {
        for (const path of ['/memories', '/projects']) {
          const { status } = await get(ada, `${path}/${encodeURIComponent(id)}`);
          assert.ok(status === 400 || status === 404, `${path} ${id} ${status}`);
        }
      }
      const memory = await newestOf(ada);
      const longTitle = { patch: { title: 'x'.repeat(600) } };
      assert.equal((await tell(ada, `/memories/${memory.id}/edit`, longTitle)).status, 400);
      const huge = { patch: { body: 'x'.repeat(70_000) } };
      assert.equal((await tell(ada, `/memories/${memory.id}/edit`, huge)).status, 413);
    });
  });

  describe('the end of a visit', () => {
    const isOut = async (who: Visitor): Promise<boolean> =>
      (await get(who, '/here')).status === 401 &&
      (await hub.api.ask(undefined, 'GET', '/hub/main.js', undefined, who.headers)).status === 401;

    test('after logout copies of the cookie and the page’s key are refused', async () => {
      const ben = await login(hub, hub.ben);
      const other = await login(hub, hub.ben);
      assert.equal((await tell(ben, '/logout')).status, 200);
      assert.ok(await isOut(ben));
      assert.equal((await get(other, '/here')).status, 200);
      assert.match((await get(await login(hub, hub.ada), '/audit')).text, /"hub.logout"/);
    });

    test('revoking a key or removing a member ends visits and streams at once', async () => {
      const { api, ada, open } = hub;
      const dan = await api.member(ada.team, 'Dan', 'member');
      const second = await api.key(dan.team, dan.id, ['read', 'write']);
      const [one, two] = [await login(hub, dan), await login(hub, { ...dan, key: second })];
      const stream = await listenTo(hub, one);
      await api.operator.revokeKey({ team: ada.team, id: dan.key.split('_')[1] ?? '' });
      assert.ok(await isOut(one));
      assert.equal((await get(two, '/here')).status, 200);
      await push(api, ada, open, [entryOf('Nobody without a key hears of this')]);
      await stream.ended;
      assert.doesNotMatch(stream.text(), /event: memories/);
      await api.operator.removeMember({ team: ada.team, who: dan.id });
      assert.ok(await isOut(two));
    });

    test('an unused visit ends after a day, a used one after a month', async () => {
      const clock = { now: new Date() };
      const other = await openTeamHub(await postgres.newOwnedDatabase(), { now: () => clock.now });
      try {
        const here = async (who: Visitor) =>
          (await other.api.ask(undefined, 'GET', '/hub/api/here', undefined, who.headers)).status;
        const [idle, used] = [await login(other, other.ben), await login(other, other.ben)];
        const begun = clock.now.getTime();
        for (let hours = 20; hours <= 29 * 24; hours += 20) {
          clock.now = new Date(begun + hours * 3_600_000);
          assert.equal(await here(used), 200, `${hours} h`);
          if (hours === 40) assert.equal(await here(idle), 401);
        }
        clock.now = new Date(begun + 30 * 24 * 3_600_000 + 60_000);
        assert.equal(await here(used), 401);
      } finally {
        await other.api.close();
      }
    });

    test('log and database contain no key, cookie or link', async () => {
      const { api, ada } = hub;
      const link = await linkOf(ada);
      const answer = await enter(link);
      const visitor = await projectPageOf(api, cookieIn(answer));
      await get(visitor, '/search?q=cobaltblue');
      const secrets = [
        link.split('key=')[1] ?? '',
        cookieIn(answer).split('=')[1] ?? '',
        visitor.headers['tidemark-page'] ?? '',
        ada.key,
      ].map((secret) => secret.slice(-30));
      const kept = await api.store.transaction({ team: ada.team, member: ada.id }, (work) =>
        work.rows(
          'SELECT to_jsonb(v) AS row FROM tidemark.hub_visit v UNION ALL SELECT to_jsonb(l) FROM tidemark.hub_link l',
        ),
      );
      const everything = api.log.join('\n') + JSON.stringify(kept);
      for (const secret of secrets) assert.ok(secret.length === 30 && !everything.includes(secret));
      assert.doesNotMatch(api.log.join('\n'), /cobaltblue/);
    });

    test('the database hides visits and links of other members', async () => {
      const { api, ada, ben } = hub;
      await login(hub, ben);
      const seen = await api.store.transaction({ team: ada.team, member: ada.id }, (work) =>
        work.rows('SELECT member_id FROM tidemark.hub_visit'),
      );
      assert.deepEqual(new Set(seen.map((row) => row['member_id'])), new Set([ada.id]));
    });
  });

  describe('live events', () => {
    test('go to the members who may read the memory, and a reconnect misses none', async () => {
      const { api, ada, open, closed } = hub;
      const [ben, rea] = [await login(hub, hub.ben), await login(hub, hub.rea)];
      const [his, hers] = [await listenTo(hub, ben), await listenTo(hub, rea)];
      const [shown, hidden] = [entryOf('A buoy was added'), entryOf('A cobaltblue buoy was added')];
      await push(api, ada, closed, [hidden]);
      await push(api, ada, open, [shown]);
      await waitFor('both streams', () => hers.text().includes(shown.id) && his.text().includes(shown.id));
      assert.match(his.text(), new RegExp(hidden.id));
      assert.doesNotMatch(hers.text(), new RegExp(hidden.id));
      assert.doesNotMatch(his.text(), /buoy/);
      his.stop();
      hers.stop();
    });

    test('end when the server shuts down', async () => {
      const other = await openTeamHub(await postgres.newOwnedDatabase());
      const stream = await listenTo(other, await login(other, other.ben));
      await other.api.close();
      await stream.ended;
    });
  });
});
