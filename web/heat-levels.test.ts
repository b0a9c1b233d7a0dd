import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelsOf } from './heat-levels.ts';

test('busier days are darker, and the busiest day is the darkest even if it is the only one', () => {
  const shades = (counts: readonly number[]) => counts.map(levelsOf(counts));
  assert.deepEqual(shades([0, 0, 7]), [0, 0, 4]);
  assert.deepEqual(shades([250, 250, 250]), [4, 4, 4]);
  assert.deepEqual(shades([0, 1, 7]), [0, 1, 4]);
  assert.deepEqual(shades([1, 2, 3, 4, 5, 6, 100]), [1, 1, 2, 2, 3, 4, 4]);
  assert.deepEqual(shades([]), []);
});
