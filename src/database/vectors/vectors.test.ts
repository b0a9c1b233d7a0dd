import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { sampleMemory } from '../../../test/support/full-memory.ts';
import { copyToOldIndex } from '../../../test/support/old-index.ts';
import type { Memory } from '../../core/index.ts';
import type { MemoryFilter } from '../memories.ts';
import { MemoryIndex } from '../memory-index.ts';

const MODEL = 'test:letters';
let folder: string;
let path: string;
let index: MemoryIndex;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-vectors-'));
  path = join(folder, 'tidemark.db');
  index = MemoryIndex.open(path);
  index.setVectorModel(MODEL);
});
afterEach(() => {
  index.close();
  rmSync(folder, { recursive: true });
});

/** A vector by the letters of a text: enough for "like" and "unlike". */
function letters(text: string): Float32Array {
  const vector = new Float32Array(64);
  for (const letter of text.toLowerCase())
    vector[letter.charCodeAt(0) % 64] = 1 + (vector[letter.charCodeAt(0) % 64] ?? 0);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const put = (...memories: readonly Memory[]) => index.upsertMemories(memories.map((memory) => ({ memory })));
const named = (id: string, title: string, more: Partial<Memory> = {}): Memory =>
  sampleMemory({ id: id.padEnd(14, '0'), title, body: title, ...more });
const waiting = (): readonly string[] => index.unembedded(100).map(({ text }) => text.split('\n')[0] ?? '');
const embedAll = (): void =>
  index.putVectors(
    MODEL,
    index.unembedded(1000).map((one) => ({ ...one, vector: letters(one.text) })),
  );

function near(text: string, filter: MemoryFilter = {}, from = index): readonly string[] {
  const found = from.candidates({
    tokens: [],
    filters: [filter],
    limit: 2,
    weights: [],
    reach: 0,
    vector: { model: MODEL, vector: letters(text) },
  });
  const memories = from.memoriesAt(found.map(({ row }) => row));
  return found
    .toSorted((a, b) => (b.cosine ?? 0) - (a.cosine ?? 0))
    .map(({ row }) => memories.get(row)?.title ?? '');
}

test('the nearest memory of a project is found without a common word', () => {
  put(named('a', 'zebra'), named('b', 'quokka'), named('c', 'zebras', { project: 'other-0000' }));
  embedAll();
  assert.deepEqual(near('arbez'), ['zebra', 'zebras']);
  assert.deepEqual(near('arbez', { project: 'other-0000' }), ['zebras']);
  assert.deepEqual(near('arbez', { kind: 'issue' }), []);
  assert.deepEqual(near('arbez', { kind: 'decision', project: 'payments-a1b2' }), ['zebra', 'quokka']);
});

test('only a changed entry needs a new vector', () => {
  put(named('a', 'zebra'), named('b', 'quokka'));
  embedAll();
  assert.deepEqual(waiting(), []);
  put(named('a', 'zebra'), named('b', 'wombat'));
  assert.deepEqual(waiting(), ['wombat']);
  put(named('a', 'zebra', { state: 'superseded' }));
  assert.deepEqual(waiting(), ['wombat']);
});

test('a vector of an outdated text is not stored', () => {
  put(named('a', 'zebra'));
  const late = index.unembedded(1).map((one) => ({ ...one, vector: letters(one.text) }));
  put(named('a', 'wombat'));
  index.putVectors(MODEL, late);
  assert.deepEqual(waiting(), ['wombat']);
});

test('a removed memory leaves no vector', () => {
  put(named('a', 'zebra'), named('b', 'quokka'));
  embedAll();
  index.removeMemories(['a'.padEnd(14, '0')]);
  assert.deepEqual(near('arbez'), ['quokka']);
  assert.deepEqual(index.vectorCounts().memory, { have: 1, wanted: 0 });
});

test('after a change of the model nothing is near until most rows have a new vector', () => {
  put(named('a', 'zebra'), named('b', 'quokka'));
  embedAll();
  assert.equal(index.setVectorModel(MODEL), false);
  assert.equal(index.setVectorModel('test:other'), true);
  assert.equal(waiting().length, 2);
  assert.deepEqual(near('arbez'), []);
  index.setVectorModel(MODEL);
  const [first] = index.unembedded(1);
  assert.ok(first);
  index.putVectors(MODEL, [{ ...first, vector: letters(first.text) }]);
  assert.deepEqual(near('arbez'), []);
  embedAll();
  assert.deepEqual(near('arbez')[0], 'zebra');
});

test('a reader sees the vector that was made after the newest one was removed', () => {
  put(named('a', 'zebra'), named('b', 'quokka'));
  embedAll();
  put(named('a', 'zebu'));
  embedAll();
  const reader = MemoryIndex.open(path, { readOnly: true });
  assert.deepEqual(near('quokka', {}, reader), ['quokka', 'zebu']);
  index.removeMemories(['a'.padEnd(14, '0')]);
  put(named('c', 'wombat'));
  embedAll();
  assert.deepEqual(near('wombat', {}, reader), ['wombat', 'quokka']);
  reader.close();
});

test('a reader sees what the writer adds', () => {
  put(named('a', 'zebra'));
  embedAll();
  const reader = MemoryIndex.open(path, { readOnly: true });
  assert.deepEqual(near('wombat', {}, reader), ['zebra']);
  put(named('b', 'wombat'));
  embedAll();
  assert.deepEqual(near('wombat', {}, reader), ['wombat', 'zebra']);
  reader.close();
});

test('cosines are almost exact, also if vectors arrive one by one', () => {
  const titles = Array.from({ length: 40 }, (_, i) => `${'abcdefghij'.slice(i % 7)} ${i * 7919}`);
  for (const [i, title] of titles.entries()) {
    put(named(`m${i}x`, title));
    embedAll();
  }
  const query = letters('cab 42');
  const found = index.candidates({
    tokens: [],
    filters: [{}],
    limit: 40,
    weights: [],
    reach: 0,
    vector: { model: MODEL, vector: query },
  });
  const memories = index.memoriesAt(found.map(({ row }) => row));
  for (const { row, cosine = 0 } of found) {
    const memory = memories.get(row);
    const exact = letters(`${memory?.title}\n${memory?.body}`).reduce(
      (sum, value, i) => sum + value * (query[i] ?? 0),
      0,
    );
    assert.ok(Math.abs(cosine - exact) < 0.02, `${cosine} ${exact}`);
  }
  assert.equal(found.length, 40);
});

test('a rebuilt index takes the vectors of memories whose text is the same', () => {
  put(named('a', 'zebra'), named('b', 'quokka'));
  embedAll();
  const fresh = MemoryIndex.open(join(folder, 'fresh.db'));
  fresh.upsertMemories([
    { memory: named('c', 'new') },
    { memory: named('b', 'wombat') },
    { memory: named('a', 'zebra') },
  ]);
  fresh.takeVectorsFrom(path);
  assert.deepEqual(
    fresh
      .unembedded(9)
      .map(({ text }) => text.split('\n')[0])
      .toSorted(),
    ['new', 'wombat'],
  );
  assert.deepEqual(fresh.vectorCounts().memory, { have: 1, wanted: 2 });
  fresh.close();
});

test('a vector is made of the text of the memory, then its search phrases', () => {
  put(
    named('a', 'zebra', { reason: 'stripes', facts: ['hooves'], concepts: ['striped horse', 'zoo visit'] }),
  );
  put(named('b', 'quokka'));
  assert.deepEqual(
    index.unembedded(9).map(({ text }) => text),
    ['zebra\nzebra\nstripes\nhooves\nstriped horse, zoo visit', 'quokka\nquokka'],
  );
});

test('vectors of schema 13 are taken, except those that were queued to be made again', () => {
  put(named('a', 'zebra', { concepts: ['striped horse'] }), named('b', 'quokka'));
  embedAll();
  const fresh = MemoryIndex.open(join(folder, 'fresh.db'));
  fresh.upsertMemories([
    { memory: named('b', 'quokka') },
    { memory: named('a', 'zebra', { concepts: ['striped horse'] }) },
  ]);
  const old = join(folder, 'old.db');
  copyToOldIndex(path, old, 13);
  const db = new DatabaseSync(old);
  db.exec(`INSERT INTO unembedded SELECT 'memory', row, 1 FROM memory WHERE title = 'zebra'`);
  db.close();
  fresh.takeVectorsFrom(old);
  assert.deepEqual(
    fresh.unembedded(9).map(({ text }) => text.split('\n')[0]),
    ['zebra'],
  );
  assert.deepEqual(fresh.vectorCounts().memory, { have: 1, wanted: 1 });
  fresh.close();
});

test('vectors of schema 12 are not taken, because they were made of another text', () => {
  put(named('a', 'zebra'));
  embedAll();
  const fresh = MemoryIndex.open(join(folder, 'fresh.db'));
  fresh.upsertMemories([{ memory: named('a', 'zebra') }]);
  const old = join(folder, 'old.db');
  copyToOldIndex(path, old, 12);
  fresh.takeVectorsFrom(old);
  assert.deepEqual(fresh.vectorCounts().memory, { have: 0, wanted: 1 });
  fresh.close();
});
