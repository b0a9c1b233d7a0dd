import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualityOf, recall } from './_ranking.ts';

test('recall is the share of what was to be found', () => {
  const one = { ranked: ['a', 'b', 'c'], gold: ['c', 'x'] };
  assert.equal(recall(one, 2), 0);
  assert.equal(recall(one, 3), 0.5);
});

test('a perfect order scores one, a useless one nothing', () => {
  const base = { ms: 1, tokens: 10, group: '' };
  const best = qualityOf([{ ...base, ranked: ['a', 'b'], gold: ['a', 'b'] }]);
  assert.deepEqual([best.ndcgAt10, best.mrr, best.recallAt[5], best.recallAt[1]], [1, 1, 1, 0.5]);
  const worst = qualityOf([{ ...base, ranked: ['x'], gold: ['a'] }]);
  assert.deepEqual([worst.ndcgAt10, worst.mrr], [0, 0]);
});
