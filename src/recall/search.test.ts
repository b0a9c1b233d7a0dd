import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PERSONAL_PROJECT } from '../model/index.ts';
import { FIXTURE_MEMORIES, NOW, PROJECT, fixtureIndex, idOf } from './_fixture.ts';
import { search, type SearchOptions } from './search.ts';

const index = fixtureIndex();
after(() => index.close());

const find = (text: string, options: Partial<SearchOptions> = {}) =>
  search(index, text, { now: NOW, project: PROJECT, ...options });
const titles = (text: string, options: Partial<SearchOptions> = {}): readonly string[] =>
  find(text, options).hits.map(({ memory }) => memory.title);

test('the memory that answers comes first', () => {
  assert.equal(
    titles('how are refresh tokens protected against theft')[0],
    'Refresh tokens rotate on every use',
  );
  assert.equal(titles('auth token stale')[0], 'useAuthToken keeps a stale token after logout');
  assert.equal(titles('ERR_REQUIRE_ESM')[0], 'ERR_REQUIRE_ESM when loading the config');
  assert.equal(titles('会话存储')[0], '会话存储使用 Redis 哈希');
});

test('scores lie between 0 and 1 and their parts lead to them', () => {
  for (const { score, parts } of find('webhook signature staging proxy rotation').considered) {
    assert.ok(score > 0 && score <= 1);
    assert.ok(Math.abs((parts.at(-1)?.after ?? 1) - score) < 0.01);
  }
});

test('what was superseded sinks below what replaced it', () => {
  const found = titles('refresh tokens');
  assert.ok(
    found.indexOf('Refresh tokens rotate on every use') < found.indexOf('Refresh tokens live for 30 days'),
  );
});

test('a single word in common stays low', () => {
  assert.ok((find('choose a token colour palette').considered[0]?.score ?? 0) <= 0.3);
});

test('filters hold', () => {
  assert.deepEqual(titles('kind:preference'), ['Tests use a real PostgreSQL, never a mock']);
  assert.equal(titles('kind:dead_end').length, 2);
  assert.deepEqual(titles('file:verify.ts'), ['Webhook signature check needs the raw body']);
  assert.deepEqual(titles('esbuild since:2026-11-01'), []);
  assert.ok(titles('esbuild until:2026-11-01').length > 0);
  assert.equal(titles('project:payments kind:issue').length, 2);
  assert.deepEqual(titles('project:unknown kind:issue'), []);
});

test('a query of nothing but stop words finds nothing', () => {
  assert.deepEqual(titles('what is it that we do'), []);
});

test('a file named in the query lifts what speaks of it', () => {
  assert.deepEqual(titles('anything about refresh.ts?').slice(0, 2).toSorted(), [
    'Refresh tokens rotate on every use',
    'Rotation without a grace period',
  ]);
});

test('the own project comes first, and alone where asked', () => {
  const other = fixtureIndex();
  const [rotation] = FIXTURE_MEMORIES.filter(({ id }) => id === idOf('Refresh tokens rotate'));
  assert.ok(rotation);
  other.upsertMemories([
    {
      memory: {
        ...rotation,
        id: 'zzzzzzzzzzzzz1',
        project: 'shop-q1w2e3',
        body: 'Refresh tokens rotate, in the shop as well, by the gateway.',
      },
    },
    {
      memory: {
        ...rotation,
        id: 'zzzzzzzzzzzzz2',
        project: PERSONAL_PROJECT,
        title: 'Prefers rotating tokens',
        body: 'Rotate tokens wherever refresh exists.',
      },
    },
  ]);
  const everywhere = search(other, 'refresh tokens rotate', { now: NOW, project: PROJECT }).hits;
  assert.equal(everywhere[0]?.memory.project, PROJECT);
  assert.ok(everywhere.some(({ memory }) => memory.project === 'shop-q1w2e3'));
  const own = search(other, 'refresh tokens rotate', { now: NOW, project: PROJECT, scope: 'project' }).hits;
  assert.deepEqual(
    [...new Set(own.map(({ memory }) => memory.project))].toSorted(),
    [PROJECT, PERSONAL_PROJECT].toSorted(),
  );
  other.close();
});

test('near-duplicates are folded into the best of them', () => {
  const twice = fixtureIndex();
  const [rotation] = FIXTURE_MEMORIES.filter(({ id }) => id === idOf('Refresh tokens rotate'));
  assert.ok(rotation);
  twice.upsertMemories([{ memory: { ...rotation, id: 'zzzzzzzzzzzzz1', at: '2026-11-14T09:30:00.000Z' } }]);
  const [first, ...rest] = search(twice, 'refresh tokens rotate', { now: NOW }).hits;
  assert.deepEqual(first?.duplicates, ['zzzzzzzzzzzzz1']);
  assert.ok(rest.every(({ memory }) => memory.id !== 'zzzzzzzzzzzzz1'));
  twice.close();
});

test('below the floor nothing is returned, but it was considered', () => {
  const { hits, considered } = find('refresh tokens rotate', { floor: 1.01 });
  assert.equal(hits.length, 0);
  assert.ok(considered.length > 0);
});

test('a time in plain words lifts what is of it and hides nothing; a filter does', () => {
  const week = titles('webhook signature fails, last week');
  assert.ok(week.includes('Webhook signature check needs the raw body'));
  const month = titles('what about esbuild and webhook in October');
  assert.equal(month[0], 'Build with esbuild, not webpack');
  assert.ok(month.some((title) => /webhook/i.test(title)));
  assert.ok(titles('esbuild webhook since:2026-11-01').every((title) => !/esbuild/.test(title)));
});

test('what is near in meaning is found without a word in common', () => {
  const own = fixtureIndex();
  own.setVectorModel('test');
  const waiting = own.unembedded(100);
  const at = (subject: number): Float32Array =>
    Float32Array.from({ length: 32 }, (_, i) => (i === subject ? 1 : 0));
  own.putVectors(
    'test',
    waiting.map((one, i) => ({ ...one, vector: at(/refresh tokens rotate/i.test(one.text) ? 31 : i) })),
  );
  const vector = { model: 'test', vector: at(31) };
  const { hits } = search(own, 'credential renewal', { now: NOW, project: PROJECT, vector });
  assert.equal(hits[0]?.memory.title, 'Refresh tokens rotate on every use');
  assert.ok(hits[0]?.parts.length);
  const worded = search(own, 'credential renewal', { now: NOW, project: PROJECT, vector, by: 'words' });
  assert.equal(worded.hits.length, 0);
  own.close();
});
