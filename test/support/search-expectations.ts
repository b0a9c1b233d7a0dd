/** Expected results of a search, the same for the embedded index and for the team's database. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PERSONAL_PROJECT, type Memory } from '../../src/core/index.ts';
import type { SearchOptions, SearchResult } from '../../src/recall/index.ts';
import { FIXTURE_MEMORIES, NOW, PROJECT, idOf } from './recall-fixture.ts';

/** A store filled with memories; projects are named as in the memories, however the store calls them. */
export interface Searched {
  search(text: string, options: SearchOptions): Promise<SearchResult>;
  /** A vector of the model `test` for every memory. */
  embed(vectorOf: (text: string, i: number) => Float32Array): Promise<void>;
  close(): Promise<void>;
}

export interface Searchable {
  readonly skip?: string | undefined;
  /** Holds the personal project too: a team's does not. */
  readonly personal: boolean;
  /** `shortlist`: only what words found is compared by meaning. */
  readonly meaning: 'all' | 'shortlist';
  open(memories: readonly Memory[]): Promise<Searched>;
}

/** Of the vectors the database's index holds. */
const DIMENSIONS = 384;

export function expectSearch({ skip, personal, meaning, open }: Searchable): void {
  let store: Searched;
  before(async () => {
    if (!skip) store = await open(FIXTURE_MEMORIES);
  });
  after(async () => store?.close());

  const find = (text: string, options: Partial<SearchOptions> = {}) =>
    store.search(text, { now: NOW, project: PROJECT, ...options });
  const titles = async (text: string, options: Partial<SearchOptions> = {}): Promise<readonly string[]> =>
    (await find(text, options)).hits.map(({ memory }) => memory.title);
  const rotation = (): Memory => {
    const found = FIXTURE_MEMORIES.find(({ id }) => id === idOf('Refresh tokens rotate'));
    assert.ok(found);
    return found;
  };

  test('the memory that answers comes first', { skip }, async () => {
    assert.equal(
      (await titles('how are refresh tokens protected against theft'))[0],
      'Refresh tokens rotate on every use',
    );
    assert.equal((await titles('auth token stale'))[0], 'useAuthToken keeps a stale token after logout');
    assert.equal((await titles('ERR_REQUIRE_ESM'))[0], 'ERR_REQUIRE_ESM when loading the config');
    assert.equal((await titles('会话存储'))[0], '会话存储使用 Redis 哈希');
  });

  test('scores lie between 0 and 1 and their parts lead to them', { skip }, async () => {
    for (const { score, parts } of (await find('webhook signature staging proxy rotation')).considered) {
      assert.ok(score > 0 && score <= 1);
      assert.ok(Math.abs((parts.at(-1)?.after ?? 1) - score) < 0.01);
    }
  });

  test('what was superseded sinks below what replaced it', { skip }, async () => {
    const found = await titles('refresh tokens');
    assert.ok(
      found.indexOf('Refresh tokens rotate on every use') < found.indexOf('Refresh tokens live for 30 days'),
    );
  });

  test('a list for reading has what ended after everything in force', { skip }, async () => {
    const states = (await find('refresh tokens', { floor: 0, endedLast: true })).hits.map(
      ({ memory }) => memory.state,
    );
    const ended = states.map((state) => state === 'resolved' || state === 'superseded');
    assert.ok(ended.includes(true) && ended.includes(false));
    assert.deepEqual(
      ended,
      ended.toSorted((a, b) => Number(a) - Number(b)),
    );
  });

  test('odd queries find nothing, or words, but never fail', { skip }, async () => {
    for (const text of [
      '- from',
      '***',
      '"',
      '""',
      "'",
      '*',
      '-',
      'OR',
      'NEAR(',
      'a AND',
      '(',
      '^',
      ':',
      '\\',
      'NOT x*',
    ])
      assert.ok(Array.isArray((await find(text)).hits), text);
    assert.ok((await titles('NEAR "refresh" OR tokens*')).length > 0);
  });

  test('a single word in common stays low', { skip }, async () => {
    assert.ok(((await find('choose a token colour palette')).considered[0]?.score ?? 0) <= 0.3);
  });

  test('filters hold', { skip }, async () => {
    assert.deepEqual(await titles('kind:preference'), ['Tests use a real PostgreSQL, never a mock']);
    assert.equal((await titles('kind:dead_end')).length, 2);
    assert.deepEqual(await titles('file:verify.ts'), ['Webhook signature check needs the raw body']);
    assert.ok((await titles('state:open')).length > 0);
    assert.deepEqual(await titles('state:open kind:preference'), []);
    assert.deepEqual(await titles('state:superseded refresh'), ['Refresh tokens live for 30 days']);
    assert.deepEqual(await titles('esbuild since:2026-11-01'), []);
    assert.ok((await titles('esbuild until:2026-11-01')).length > 0);
    assert.equal((await titles('project:payments kind:issue')).length, 2);
    assert.deepEqual(await titles('project:unknown kind:issue'), []);
  });

  test('agent: finds memories from sessions of that agent', { skip }, async () => {
    const { provenance, ...rest } = rotation();
    const title = 'Rotated tokens are logged once';
    const codex = { ...rest, id: 'zzzzzzzzzzzzz3', title, provenance: { ...provenance, agent: 'codex' } };
    const store = await open([...FIXTURE_MEMORIES, codex]);
    const found = async (text: string) =>
      (await store.search(text, { now: NOW, project: PROJECT })).hits.map(({ memory }) => memory.title);
    assert.deepEqual(await found('agent:codex'), [title]);
    assert.deepEqual(await found('refresh tokens rotate agent:codex'), [title]);
    assert.ok(!(await found('refresh tokens rotate agent:claude-code')).includes(title));
    await store.close();
  });

  test('a query of nothing but stop words finds nothing', { skip }, async () => {
    assert.deepEqual(await titles('what is it that we do'), []);
  });

  test('a file named in the query lifts what speaks of it', { skip }, async () => {
    assert.deepEqual((await titles('anything about refresh.ts?')).slice(0, 2).toSorted(), [
      'Refresh tokens rotate on every use',
      'Rotation without a grace period',
    ]);
  });

  test('the own project comes first, and alone where asked', { skip }, async () => {
    const shop = {
      ...rotation(),
      id: 'zzzzzzzzzzzzz1',
      project: 'shop-q1w2e3',
      body: 'Refresh tokens rotate, in the shop as well, by the gateway.',
    };
    const preference = {
      ...rotation(),
      id: 'zzzzzzzzzzzzz2',
      project: PERSONAL_PROJECT,
      title: 'Prefers rotating tokens',
      body: 'Rotate tokens wherever refresh exists.',
    };
    const other = await open([...FIXTURE_MEMORIES, shop, ...(personal ? [preference] : [])]);
    const options = { now: NOW, project: PROJECT };
    const { hits: everywhere } = await other.search('refresh tokens rotate', options);
    assert.equal(everywhere[0]?.memory.project, PROJECT);
    assert.ok(everywhere.some(({ memory }) => memory.project === 'shop-q1w2e3'));
    const { hits: own } = await other.search('refresh tokens rotate', { ...options, scope: 'project' });
    assert.deepEqual(
      [...new Set(own.map(({ memory }) => memory.project))].toSorted(),
      [PROJECT, ...(personal ? [PERSONAL_PROJECT] : [])].toSorted(),
    );
    await other.close();
  });

  test('near-duplicates are folded into the best of them', { skip }, async () => {
    const again = { ...rotation(), id: 'zzzzzzzzzzzzz1', at: '2026-11-14T09:30:00.000Z' };
    const twice = await open([...FIXTURE_MEMORIES, again]);
    const [first, ...rest] = (await twice.search('refresh tokens rotate', { now: NOW })).hits;
    assert.deepEqual(first?.duplicates, ['zzzzzzzzzzzzz1']);
    assert.ok(rest.every(({ memory }) => memory.id !== 'zzzzzzzzzzzzz1'));
    await twice.close();
  });

  test('entries about other things are not folded, however alike they are', { skip }, async () => {
    const stores = Array.from({ length: 20 }, (_, i) => ({
      ...rotation(),
      id: `zzzzzzzzzzzc${String(i + 1).padStart(2, '0')}`,
      title: `The cache-${i + 1} store keeps its entries for an hour`,
      body: 'Deleted users stay in it until then.',
    }));
    const own = await open([...FIXTURE_MEMORIES, ...stores]);
    const [first] = (await own.search('cache-3 store', { now: NOW })).hits;
    assert.equal(first?.memory.title, 'The cache-3 store keeps its entries for an hour');
    assert.deepEqual(first?.duplicates, []);
    await own.close();
  });

  test('below the floor nothing is returned, but it was considered', { skip }, async () => {
    const { hits, considered } = await find('refresh tokens rotate', { floor: 1.01 });
    assert.equal(hits.length, 0);
    assert.ok(considered.length > 0);
  });

  test('a time filter excludes memories of another time', { skip }, async () => {
    assert.ok((await titles('esbuild webhook')).some((title) => /esbuild/.test(title)));
    assert.ok((await titles('esbuild webhook since:2026-11-01')).every((title) => !/esbuild/.test(title)));
  });

  test('what is near in meaning comes before what only shares a word', { skip }, async () => {
    const own = await open(FIXTURE_MEMORIES);
    await own.embed((text, i) => axis(/refresh tokens rotate/i.test(text) ? 300 : i));
    const vector = { model: 'test', vector: axis(300) };
    const options = { now: NOW, project: PROJECT, vector };
    const both = await own.search('which tokens', options);
    assert.equal(both.hits[0]?.memory.title, 'Refresh tokens rotate on every use');
    assert.ok((both.hits[0]?.cosine ?? 0) > 0.9);
    const unworded = await own.search('credential renewal', options);
    const expected = meaning === 'all' ? 'Refresh tokens rotate on every use' : undefined;
    assert.equal(unworded.hits[0]?.memory.title, expected);
    const worded = await own.search('credential renewal', { ...options, by: 'words' });
    assert.equal(worded.hits.length, 0);
    await own.close();
  });
}

/** Of length 1, in one direction only. */
function axis(direction: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, i) => (i === direction ? 1 : 0));
}
