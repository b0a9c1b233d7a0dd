import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuse } from './score.ts';

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
