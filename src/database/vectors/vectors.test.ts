import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { sampleMemory } from '../../../test/support/full-memory.ts';
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

test('what is nearest is found without a word in common, within its project', () => {
  put(named('a', 'zebra'), named('b', 'quokka'), named('c', 'zebras', { project: 'other-0000' }));
  embedAll();
  assert.deepEqual(near('arbez'), ['zebra', 'zebras']);
  assert.deepEqual(near('arbez', { project: 'other-0000' }), ['zebras']);
  assert.deepEqual(near('arbez', { kind: 'issue' }), []);
  assert.deepEqual(near('arbez', { kind: 'decision', project: 'payments-a1b2' }), ['zebra', 'quokka']);
});

test('one changed entry waits for a vector again, and no other', () => {
  put(named('a', 'zebra'), named('b', 'quokka'));
  embedAll();
  assert.deepEqual(waiting(), []);
  put(named('a', 'zebra'), named('b', 'wombat'));
  assert.deepEqual(waiting(), ['wombat']);
  put(named('a', 'zebra', { state: 'superseded' }));
  assert.deepEqual(waiting(), ['wombat']);
});

test('a vector that comes too late for its words is not kept', () => {
  put(named('a', 'zebra'));
  const late = index.unembedded(1).map((one) => ({ ...one, vector: letters(one.text) }));
  put(named('a', 'wombat'));
  index.putVectors(MODEL, late);
  assert.deepEqual(waiting(), ['wombat']);
});

test('what is forgotten leaves no vector behind', () => {
  put(named('a', 'zebra'), named('b', 'quokka'));
  embedAll();
  index.removeMemories(['a'.padEnd(14, '0')]);
  assert.deepEqual(near('arbez'), ['quokka']);
  assert.deepEqual(index.vectorCounts().memory, { have: 1, wanted: 0 });
});

test('another model makes all wait, and nothing is near until most have their vector', () => {
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

test('cosines are kept almost exactly, however many came one by one', () => {
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

test('an index built anew takes over the vectors of what says the same', () => {
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

/** The index as a program of schema 12 left it: the same rows and vectors, none of them waiting. */
function asOfSchema12(): void {
  index.close();
  const db = new DatabaseSync(path);
  db.exec(`DROP INDEX unembedded_by_need; ALTER TABLE unembedded DROP COLUMN anew;
    DELETE FROM schema_version WHERE version = 13`);
  db.close();
  index = MemoryIndex.open(path);
}

test('a vector is made of the phrases too, after everything the memory says', () => {
  put(
    named('a', 'zebra', { reason: 'stripes', facts: ['hooves'], concepts: ['striped horse', 'zoo visit'] }),
  );
  put(named('b', 'quokka'));
  assert.deepEqual(
    index.unembedded(9).map(({ text }) => text),
    ['zebra\nzebra\nstripes\nhooves\nstriped horse, zoo visit', 'quokka\nquokka'],
  );
});

test('an index of schema 12 has vectors made anew for what has phrases, and finds by the old ones until then', () => {
  put(named('a', 'zebra', { concepts: ['striped horse'] }), named('b', 'quokka'));
  put(named('c', 'wombat', { concepts: ['square'] }));
  embedAll();
  put(named('d', 'late', { concepts: ['still without'] }));
  asOfSchema12();
  assert.deepEqual(waiting().toSorted(), ['late', 'wombat', 'zebra']);
  assert.deepEqual(
    index.unembedded(1).map(({ text }) => text.split('\n')[0]),
    ['late'],
    'what has none comes first',
  );
  assert.deepEqual(index.vectorCounts().memory, { have: 1, wanted: 3 });
  const [late] = index.unembedded(1);
  assert.ok(late);
  index.putVectors(MODEL, [{ ...late, vector: letters(late.text) }]);
  assert.deepEqual(near('arbez')[0], 'zebra', 'two of four wait, and each has its old vector');
  assert.deepEqual(index.memory('a'.padEnd(14, '0'))?.concepts, ['striped horse']);

  embedAll();
  assert.deepEqual(waiting(), []);
  assert.deepEqual(index.vectorCounts().memory, { have: 4, wanted: 0 });
  assert.deepEqual(near('striped horse')[0], 'zebra');
  asOfSchema12();
  index.close();
  index = MemoryIndex.open(path);
  assert.equal(waiting().length, 3, 'queued once, and still after the next opening');
});

test('other words take away an old vector that only waited to be made anew', () => {
  put(named('a', 'zebra', { concepts: ['striped horse'] }));
  embedAll();
  asOfSchema12();
  assert.deepEqual(index.vectorCounts().memory, { have: 0, wanted: 1 });
  put(named('a', 'wombat', { concepts: ['square'] }));
  assert.deepEqual(near('arbez'), []);
  assert.deepEqual(waiting(), ['wombat']);
});

test('an index built anew makes anew what the old one had still to make', () => {
  put(named('a', 'zebra', { concepts: ['striped horse'] }), named('b', 'quokka'));
  embedAll();
  asOfSchema12();
  const fresh = MemoryIndex.open(join(folder, 'fresh.db'));
  fresh.upsertMemories([
    { memory: named('b', 'quokka') },
    { memory: named('a', 'zebra', { concepts: ['striped horse'] }) },
  ]);
  fresh.takeVectorsFrom(path);
  assert.deepEqual(
    fresh.unembedded(9).map(({ text }) => text.split('\n')[0]),
    ['zebra'],
  );
  assert.deepEqual(near('arbez', {}, fresh)[0], 'zebra');
  fresh.close();
});
