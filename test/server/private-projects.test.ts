/**
 * A member learns nothing about projects that are not shared with them. All answers to a member are the same, byte for
 * byte, before and after others fill a private project.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, mock, test } from 'node:test';
import type { PushAnswer } from '../../src/exchange/sync/index.ts';
import { readAssets } from '../../src/http/index.ts';
import { everMem } from '../../src/server/evermem/index.ts';
import { teamHub } from '../../src/server/hub/index.ts';
import { postgresql, startPostgres, type Postgres } from '../support/postgres.ts';
import { entryOf, put } from '../support/team.ts';
import type { Person } from './_api.ts';
import { idOfKey } from './_harbour.ts';
import { login, openTeamHub, PAGE, push, type TeamHub, type Visitor } from './_team-hub.ts';

const { skip } = postgresql;
/** Only in the private project, and a word that both projects have. */
const SECRET_WORD = 'quicksilverword';
const QUERIES = [
  SECRET_WORD,
  'berth',
  'The tide table',
  `berth ${SECRET_WORD}`,
  'winter schedule invoice',
  'crane',
];

describe('a private project', { skip }, () => {
  let postgres: Postgres;
  let hub: TeamHub;
  let cal: Person;
  before(async () => {
    postgres = await startPostgres();
    // Scores depend on the time.
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const mounts = [teamHub(readAssets(PAGE, '/hub')), everMem()];
    hub = await openTeamHub(await postgres.newOwnedDatabase(), { mounts });
    cal = await hub.api.member(hub.ada.team, 'Cal', 'member');
  });
  after(async () => {
    mock.timers.reset();
    await hub?.api.close();
    await postgres?.remove();
  });

  /** All answers to a member, without the time of the database. */
  async function answersTo(person: Person, visitor: Visitor): Promise<ReadonlyMap<string, string>> {
    const answers = new Map<string, string>();
    const ask = async (name: string, method: string, path: string, body?: unknown, headers = {}) => {
      const key = path.startsWith('/hub') ? undefined : person.key;
      const { status, text } = await hub.api.ask(key, method, path, body, headers);
      answers.set(`${name} ${JSON.stringify(body ?? '')}`, `${status} ${text.replace(/"latest":\d+/, '')}`);
    };
    const { id } = hub.open;
    for (const path of [
      '/v1/me',
      '/v1/members',
      '/v1/projects',
      '/v1/keys',
      '/v1/audit',
      `/v1/projects/${id}/changes?after=0`,
      `/v1/projects/${id}/memories?limit=100`,
      `/v1/projects/${id}/shares`,
    ])
      await ask(path, 'GET', path);
    for (const query of QUERIES) {
      await ask('search', 'POST', '/v1/search', { query, limit: 50 });
      await ask('search', 'POST', '/v1/search', { query, project: id, limit: 3 });
      await ask('search v1', 'POST', '/api/v1/memories/search', { query, filters: { user_id: 'cal' } });
      const path = `/hub/api/search?q=${encodeURIComponent(query)}`;
      await ask(path, 'GET', path, undefined, visitor.headers);
    }
    await ask('list v1', 'POST', '/api/v1/memories/get', { filters: { user_id: 'cal' }, page_size: 100 });
    for (const path of [
      'here',
      'overview?zone=UTC',
      'home?zone=UTC',
      'projects',
      `projects/${id}`,
      'memories?limit=100',
      'members',
    ])
      await ask(`/hub/api/${path}`, 'GET', `/hub/api/${path}`, undefined, visitor.headers);
    return answers;
  }

  test('changes no answer to a member who cannot read it', async () => {
    const visitor = await login(hub, cal);
    await answersTo(cal, visitor); // the first use of a key is recorded
    const earlier = await answersTo(cal, visitor);
    assert.equal(earlier.size, 40);
    for (const [asked, answer] of earlier) assert.match(answer, /^(?:200|403) /, asked);
    assert.match(earlier.get('search {"query":"berth","limit":50}') ?? '', /berth/i);

    const entries = Array.from({ length: 60 }, (_, n) =>
      entryOf(`The berth ${SECRET_WORD} ${n} of the winter schedule`, { body: 'invoice crane tide table' }),
    );
    await push(hub.api, hub.ada, hub.closed, entries);
    await push(hub.api, hub.ben, hub.closed, [entryOf('Also private', { body: 'crane' })]);
    const { id } = entries[0] ?? { id: '' };
    const tombstone = { op: 'tombstone', id, turn: 't', hash: 'h', version: { clock: 9, machine: 'x' } };
    await hub.api.ask(hub.ada.key, 'POST', `/v1/projects/${hub.closed.id}/changes`, {
      changes: [tombstone],
      idempotencyKey: 'forget a private one',
    });
    await hub.api.ask(hub.ada.key, 'POST', '/v1/projects', {
      name: 'new',
      keys: ['git:new'],
      with: 'nobody',
    });
    const messages = [{ sender_id: 'ada', role: 'user', timestamp: Date.now(), content: SECRET_WORD }];
    await hub.api.ask(hub.ada.key, 'POST', '/api/v1/memories/group', { group_id: 'mine', messages });
    const found = await hub.api.ask(hub.ada.key, 'POST', '/v1/search', { query: SECRET_WORD });
    assert.match(found.text, new RegExp(SECRET_WORD));

    const later = await answersTo(cal, visitor);
    for (const [asked, answer] of earlier) assert.equal(later.get(asked), answer, asked);
  });

  test('leaves no gap in the numbers of a shared project', async () => {
    let n = 0;
    const cursorOf = async (): Promise<number> => {
      const body = { changes: [put(entryOf(`Numbered ${++n}`))], idempotencyKey: `numbered ${n}` };
      const path = `/v1/projects/${hub.open.id}/changes`;
      return (await hub.api.ask<PushAnswer>(cal.key, 'POST', path, body)).body.cursor;
    };
    const first = await cursorOf();
    await push(hub.api, hub.ada, hub.closed, [entryOf('One more private'), entryOf('And another')]);
    assert.equal(await cursorOf(), first + 1);
    const ids = async (key: string) => {
      const { body } = await hub.api.ask<{ entries: { id: number }[] }>(key, 'GET', '/v1/audit?limit=200');
      return body.entries.map(({ id }) => id).toReversed();
    };
    const zoe = await hub.api.team('Other', 'Zoe');
    await hub.api.ask(zoe.key, 'POST', '/v1/members', { name: 'Yan', role: 'reader' });
    const numbered = await ids(zoe.key);
    assert.deepEqual(
      numbered,
      numbered.map((_, i) => i + 1),
      'audit entries are numbered within a team',
    );
  });

  test('is answered like one that does not exist', async () => {
    const { id } = hub.closed;
    const memory = entryOf('The quay is painted cobaltblue').id;
    const pairs: readonly (readonly [string, string, string, unknown?])[] = [
      ['GET', `/v1/projects/${id}/changes`, `/v1/projects/${randomUUID()}/changes`],
      ['GET', `/v1/projects/${id}/memories`, `/v1/projects/${randomUUID()}/memories`],
      ['GET', `/v1/projects/${id}/shares`, `/v1/projects/${randomUUID()}/shares`],
      ['DELETE', `/v1/projects/${id}`, `/v1/projects/${randomUUID()}`],
      [
        'PUT',
        `/v1/projects/${id}/shares/${cal.id}`,
        `/v1/projects/${randomUUID()}/shares/${cal.id}`,
        { access: 'read' },
      ],
      ['GET', `/v1/memories/${memory}`, `/v1/memories/${entryOf('never pushed').id}`],
      ['DELETE', `/v1/keys/${idOfKey(hub.ben)}`, '/v1/keys/aaaaaaaaaaaa'],
    ];
    for (const [method, there, nowhere, body] of pairs) {
      const [one, other] = [
        await hub.api.ask(cal.key, method, there, body),
        await hub.api.ask(cal.key, method, nowhere, body),
      ];
      assert.deepEqual([one.status, one.text], [other.status, other.text], there);
      assert.equal(one.status, 404, there);
    }
  });

  test('changes no count of the hub, which a shared memory does', async () => {
    const visitor = await login(hub, cal);
    const read = async () =>
      (await hub.api.ask(undefined, 'GET', '/hub/api/overview?zone=UTC', undefined, visitor.headers)).text;
    const earlier = await read();
    await push(hub.api, hub.ada, hub.closed, [entryOf('Not for the overview')]);
    assert.equal(await read(), earlier);
    await push(hub.api, hub.ada, hub.open, [entryOf('For the overview')]);
    assert.notEqual(await read(), earlier);
  });
});
