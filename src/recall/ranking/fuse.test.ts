import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparable, fuse } from './score.ts';

const order = (scores: readonly number[]): readonly number[] =>
  scores.map((_, i) => i).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));

test('without vectors the words alone decide, the best being 1', () => {
  assert.deepEqual(fuse([2, 4, 0]), [0.5, 1, 0]);
  assert.deepEqual(fuse([0, 0]), [0, 0]);
});

test('meaning separates equal hits and does not outweigh a clear hit by words', () => {
  assert.deepEqual(order(fuse([5, 5, 1], [0.2, 0.6, 0.6])), [1, 0, 2]);
  assert.deepEqual(order(fuse([10, 1, 0], [0.3, 0.6, 0.5])), [0, 1, 2]);
});

test('a candidate without a vector gets the average cosine', () => {
  assert.deepEqual(order(fuse([5, 5, 5], [0.1, undefined, 0.7])), [2, 1, 0]);
});

test('words or meaning can rank alone', () => {
  assert.deepEqual(order(fuse([3, 2, 1], [0.1, 0.2, 0.3], 'words')), [0, 1, 2]);
  assert.deepEqual(order(fuse([3, 2, 1], [0.1, 0.2, 0.3], 'meaning')), [2, 1, 0]);
});

test('cosines of a model that puts all texts close together are spread like those of the default', () => {
  const vector = (model: string) => ({ model, vector: new Float32Array() });
  const found = [{ cosine: 0.888 }, { cosine: 0.78 }, {}];
  const [near, far, none] = comparable(found, vector('local:gte-small'));
  assert.ok(Math.abs((near?.cosine ?? 0) - 0.53) < 0.01);
  assert.ok(Math.abs((far?.cosine ?? 0) - 0.08) < 0.01);
  assert.equal(none?.cosine, undefined);
  assert.equal(comparable(found, vector('local:all-minilm-l6-v2')), found);
  assert.equal(comparable(found, undefined), found);
});
