/** Access control: every person against every project through every route, with forged, stolen and expired keys. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ROUTES } from '../../src/server/routes/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import { Api, type Answer, type Person } from './_api.ts';
import { idOfKey, makeHarbour, type Harbour, type Name, type Place } from './_harbour.ts';
import { samples, type Sample } from './_samples.ts';

const { skip } = postgresql;
const NAMES: readonly Name[] = ['ada', 'ben', 'rea', 'cid'];
let postgres: Postgres;
let database: string;
let api: Api;
let harbour: Harbour;

before(async () => {
  if (skip) return;
  postgres = await startPostgres();
  database = await postgres.newOwnedDatabase();
  api = await Api.open(database);
  harbour = await makeHarbour(api);
});

after(async () => {
  await api?.close();
  await postgres?.remove();
});

/** Every person with every project. */
async function everywhere(look: (person: Person, place: Place, who: Name) => Promise<void>): Promise<void> {
  for (const who of NAMES) for (const place of harbour.places) await look(harbour.people[who], place, who);
}

/** Owners manage all projects of their team, even those they cannot read. */
function mayManage(who: Name, place: Place): boolean {
  return who === place.maker || (who === 'ada' && place.maker !== 'cid');
}

let asked = 0;
const changesOf = (title: string) => ({
  changes: [put(entryOf(title))],
  idempotencyKey: `access-${++asked}`,
});

test('the project list shows the shared projects with the access of the caller', { skip }, async () => {
  for (const who of NAMES) {
    const { body } = await api.ask<{ projects: { id: string; access: string }[] }>(
      harbour.people[who].key,
      'GET',
      '/v1/projects?limit=200',
    );
    const expected = harbour.places
      .filter(({ reach }) => reach[who] !== 'none')
      .map(({ id, reach }) => `${id} ${reach[who]}`);
    assert.deepEqual(
      body.projects.map(({ id, access }) => `${id} ${access}`).toSorted(),
      expected.toSorted(),
      who,
    );
  }
});

test('shared projects can be read through every route, and all others answer 404', { skip }, async () => {
  await everywhere(async ({ key }, { id, memory, word, reach, name }, who) => {
    const expected = reach[who] === 'none' ? 404 : 200;
    for (const path of [
      `/v1/projects/${id}/changes`,
      `/v1/projects/${id}/memories`,
      `/v1/memories/${memory}`,
    ]) {
      const { status, text } = await api.ask(key, 'GET', path);
      assert.equal(status, expected, `${who} ${name} ${path}`);
      assert.equal(text.includes(word), expected === 200, `${who} ${name} ${path}`);
    }
  });
});

test('search finds memories only in shared projects', { skip }, async () => {
  type Found = { hits: { memory: { id: string; project: string } }[] };
  await everywhere(async ({ key }, { id, memory, word, reach, name }, who) => {
    const isThere = reach[who] !== 'none';
    const anywhere = await api.ask<Found>(key, 'POST', '/v1/search', { query: word });
    assert.equal(anywhere.status, 200, anywhere.text);
    assert.equal(
      anywhere.body.hits.some((hit) => hit.memory.id === memory && hit.memory.project === id),
      isThere,
      `${who} ${name}`,
    );
    const within = await api.ask<Found>(key, 'POST', '/v1/search', { query: word, project: id });
    assert.equal(within.status, isThere ? 200 : 404, `${who} ${name}`);
    assert.equal(within.text.includes(memory), isThere);
    for (const hit of within.body.hits ?? []) assert.equal(hit.memory.project, id);
    // A filter in the query cannot bypass the policies.
    const named = await api.ask<Found>(key, 'POST', '/v1/search', { query: `${word} project:"${name}"` });
    assert.equal(named.text.includes(memory), isThere, `${who} ${name}`);
  });
});

test('writing needs a write share and a role that may write', { skip }, async () => {
  const expected = { write: 200, read: 403, none: 404 };
  await everywhere(async ({ key }, { id, reach, name }, who) => {
    // The role of a reader is checked before the project.
    const status = who === 'rea' ? 403 : expected[reach[who]];
    const pushed = await api.ask(key, 'POST', `/v1/projects/${id}/changes`, changesOf(`${who} in ${name}`));
    assert.equal(pushed.status, status, `${who} pushes to ${name}: ${pushed.text}`);
    const taken = await api.ask(key, 'DELETE', `/v1/projects/${id}/entries?mine=true`);
    assert.equal(taken.status, status, `${who} withdraws from ${name}: ${taken.text}`);
    // The other tests need the withdrawn memory again.
    if (status === 200) await restore(id);
  });
});

test(
  'members who see a project see its shares, and only its creator and owners change them',
  { skip },
  async () => {
    await everywhere(async ({ key, id: self }, place, who) => {
      const { id, name, reach } = place;
      const isSeen = reach[who] !== 'none' || mayManage(who, place);
      const seen = await api.ask(key, 'GET', `/v1/projects/${id}/shares`);
      assert.equal(seen.status, isSeen ? 200 : 404, `${who} ${name}`);
      if (mayManage(who, place)) return;
      for (const member of [self, 'everyone']) {
        const path = `/v1/projects/${id}/shares/${member}`;
        const status = who === 'rea' ? 403 : isSeen ? 403 : 404;
        assert.equal((await api.ask(key, 'PUT', path, { access: 'write' })).status, status, `${who} ${name}`);
        assert.equal((await api.ask(key, 'DELETE', path)).status, status, `${who} ${name}`);
      }
      const removed = await api.ask(key, 'DELETE', `/v1/projects/${id}`);
      assert.equal(removed.status, who === 'rea' || isSeen ? 403 : 404, `${who} ${name}`);
    });
  },
);

test('an owner must share a project with themselves to read it, which is audited', { skip }, async () => {
  const { ada, ben } = harbour.people;
  const place = harbour.places.find(({ name }) => name === 'of Ben');
  assert.ok(place);
  const path = `/v1/projects/${place.id}/shares/${ada.id}`;
  assert.equal((await api.ask(ada.key, 'GET', `/v1/projects/${place.id}/memories`)).status, 404);
  assert.equal((await api.ask(ada.key, 'PUT', path, { access: 'read' })).status, 200);
  assert.equal((await api.ask(ada.key, 'GET', `/v1/projects/${place.id}/memories`)).status, 200);
  const audit = await api.ask(ada.key, 'GET', '/v1/audit');
  assert.match(audit.text, new RegExp(`"action":"share.set","object":"${place.id}"`));
  assert.equal((await api.ask(ben.key, 'DELETE', path)).status, 200);
  assert.equal((await api.ask(ada.key, 'GET', `/v1/projects/${place.id}/memories`)).status, 404);
});

test('members, keys and the audit log are limited to the team and the role', { skip }, async () => {
  const { ada, ben, rea, cid } = harbour.people;
  for (const { key } of [ada, ben, rea]) {
    const { text } = await api.ask(key, 'GET', '/v1/members');
    for (const { id } of [ada, ben, rea]) assert.ok(text.includes(id));
    assert.ok(!text.includes(cid.id));
  }
  const keysSeen = async (person: Person) => (await api.ask(person.key, 'GET', '/v1/keys')).text;
  assert.ok((await keysSeen(ada)).includes(idOfKey(ben)));
  assert.ok(!(await keysSeen(ben)).includes(idOfKey(ada)));
  assert.ok(!(await keysSeen(ada)).includes(idOfKey(cid)));
  for (const { key } of [ben, rea]) assert.equal((await api.ask(key, 'GET', '/v1/audit')).status, 403);
  const audit = await api.ask(cid.key, 'GET', '/v1/audit');
  for (const { id } of [ada, ben, rea]) assert.ok(!audit.text.includes(id));
});

test('ids of another team have no effect on any route', { skip }, async () => {
  const { ada, cid } = harbour.people;
  const own = harbour.places.find(({ name }) => name === 'open in B');
  assert.ok(own);
  const tries: readonly (readonly [string, string, unknown?])[] = [
    ['PUT', `/v1/projects/${own.id}/shares/${ada.id}`, { access: 'write' }],
    ['PATCH', `/v1/members/${ada.id}`, { role: 'reader' }],
    ['DELETE', `/v1/members/${ada.id}`],
    ['POST', '/v1/keys', { member: ada.id, scopes: ['read'] }],
    ['DELETE', `/v1/keys/${idOfKey(ada)}`],
    ['DELETE', `/v1/projects/${randomUUID()}`],
  ];
  for (const [method, path, body] of tries) {
    const { status } = await api.ask(cid.key, method, path, body);
    assert.equal(status, 404, `${method} ${path}`);
  }
  assert.equal((await api.ask(ada.key, 'GET', '/v1/me')).status, 200);
});

test(
  'partial, changed, expired and revoked keys and keys of removed members are refused',
  { skip },
  async () => {
    const { ada, ben, cid } = harbour.people;
    const [, id = '', ...rest] = ben.key.split('_');
    const secret = rest.join('_');
    const soon = new Date(Date.now() + 60_000);
    const expired = await api.key(ada.team, ben.id, ['read', 'write'], soon.toISOString());
    const revoked = await api.key(ada.team, ben.id, ['read', 'write']);
    await api.operator.revokeKey({ team: ada.team, id: revoked.split('_')[1] ?? '' });
    const gone = await api.member(ada.team, 'Gone', 'member');
    await api.operator.removeMember({ team: ada.team, who: gone.id });
    const wrong: Readonly<Record<string, string>> = {
      'another id, right secret': `tmk_${idOfKey(cid)}_${secret}`,
      'right id, secret of another': `tmk_${id}_${cid.key.split('_').slice(2).join('_')}`,
      'one sign changed': `tmk_${id}_${secret.slice(0, -2)}${secret.at(-2) === 'A' ? 'B' : 'A'}${secret.at(-1)}`,
      'cut short': ben.key.slice(0, -1),
      'only the id': `tmk_${id}`,
      expired,
      revoked,
      'of a removed member': gone.key,
    };
    // Each from its own address, because the guard blocks an address after a few failures.
    const proxied = await Api.open(database, { behindProxy: true, now: () => soon });
    try {
      let n = 0;
      for (const [what, key] of Object.entries(wrong)) {
        for (const { method, path, body } of samples(harbour.people.ada, harbour.places[0] as Place)) {
          const from = { 'x-forwarded-for': `10.0.${n >> 8}.${n++ & 255}` };
          const { status, text } = await proxied.ask(key, method, path, body, from);
          assert.equal(status, 401, `${what}: ${method} ${path} ${text}`);
        }
      }
    } finally {
      await proxied.close();
    }
  },
);

test('every route checks the scopes of the key', { skip }, async () => {
  const { ada } = harbour.people;
  const place = harbour.places[0] as Place;
  for (const [scope, routes] of Object.entries(Object.groupBy(ROUTES, (route) => route.scope))) {
    const others = (['read', 'write', 'admin'] as const).filter((one) => one !== scope);
    const key = await api.key(ada.team, ada.id, others);
    for (const { method, path } of routes ?? []) {
      const sample = samples(ada, place).find((one) => one.method === method && one.route === path);
      assert.ok(sample, `no sample of ${method} ${path}`);
      const { status } = await api.ask(key, method, sample.path, sample.body);
      assert.equal(status, 403, `${others.join()} on ${method} ${path}`);
    }
  }
});

const HOSTILE = [
  "'; DROP SCHEMA tidemark CASCADE; --",
  "' OR '1'='1",
  "x' UNION SELECT hash::text FROM tidemark.api_key --",
  '$$; SET ROLE postgres; $$',
  "\\'; SELECT pg_sleep(30); --",
  'a\0b',
  '%_%',
  '{"$ne": null}',
  "tidemark.team'; SET LOCAL tidemark.team = '",
];

test('SQL in any field of any route is only text', { skip }, async () => {
  const { ada, cid } = harbour.people;
  const place = harbour.places[0] as Place;
  const before = await worldOf(cid);
  for (const sample of samples(ada, place)) {
    for (const text of HOSTILE) {
      for (const { path, body } of poisoned(sample, text)) {
        const answer = await api.ask(ada.key, sample.method, path, body);
        assert.ok(answer.status < 500, `${sample.method} ${path} ${text}: ${answer.status} ${answer.text}`);
        assertNothingLeaked(answer, cid);
      }
    }
  }
  assert.deepEqual(await worldOf(cid), before);
  assert.equal((await api.ask(ada.key, 'GET', '/v1/me')).status, 200);
});

/** Returns the request once per text in it, with that text replaced by the hostile one. */
function poisoned({ path, body }: Sample, text: string): readonly { path: string; body: unknown }[] {
  const [place = '', query = ''] = path.split('?');
  const parts = place.split('/');
  const inPath = parts.flatMap((_, i) =>
    i < 3
      ? []
      : [{ path: [...parts.slice(0, i), encodeURIComponent(text), ...parts.slice(i + 1)].join('/'), body }],
  );
  const inQuery = [...new URLSearchParams(query).keys()].map((name) => {
    const given = new URLSearchParams(query);
    given.set(name, text);
    return { path: `${place}?${given.toString()}`, body };
  });
  const inBody = replacedIn(body, text).map((changed) => ({ path, body: changed }));
  return [...inPath, ...inQuery, ...inBody];
}

function replacedIn(value: unknown, text: string): readonly unknown[] {
  if (typeof value === 'string') return [text];
  if (Array.isArray(value))
    return [
      ...value.flatMap((one, i) => replacedIn(one, text).map((changed) => value.with(i, changed))),
      [...value, text],
    ];
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...Object.entries(value).flatMap(([key, one]) =>
      replacedIn(one, text).map((changed) => ({ ...value, [key]: changed })),
    ),
    { ...value, [text]: text },
  ];
}

function assertNothingLeaked({ text }: Answer<unknown>, { team, id }: Person): void {
  assert.ok(!text.includes(team), text);
  assert.ok(!text.includes(id), text);
  for (const { word, maker } of harbour.places) if (maker === 'cid') assert.ok(!text.includes(word), text);
}

/** Returns everything a member can see, except the server's time. */
async function worldOf({ key }: Person): Promise<readonly string[]> {
  const paths = ['/v1/me', '/v1/members', '/v1/projects?limit=200', '/v1/audit?limit=200'];
  const answers = await Promise.all(paths.map((path) => api.ask(key, 'GET', path)));
  const own = harbour.places.filter(({ maker }) => maker === 'cid');
  const texts = await Promise.all(own.map(({ id }) => api.ask(key, 'GET', `/v1/projects/${id}/changes`)));
  return [...answers, ...texts].map(({ text }) => text.replace(/,"latest":\d+/, ''));
}

/** Pushes the creator's memory again, with a later version. */
async function restore(id: string): Promise<void> {
  const place = harbour.places.find((one) => one.id === id);
  if (!place) return;
  const entry = entryOf(`The ${place.word} is lit at dusk`, { clock: ++asked + 10 });
  const again = { changes: [put(entry)], idempotencyKey: `again-${asked}` };
  await api.ask(harbour.people[place.maker].key, 'POST', `/v1/projects/${id}/changes`, again);
}
