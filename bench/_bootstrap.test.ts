import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spreadOf } from './_bootstrap.ts';

const values = (group: string, ...all: readonly number[]) => all.map((value) => ({ group, value }));

test('the same values have no spread', () => {
  assert.deepEqual(spreadOf(values('a', 1, 1, 1)), { mean: [1, 1], difference: 0 });
});

test('the spread contains the mean and is the same each time', () => {
  const some = values('a', 0, 1, 1, 1, 0, 1, 1, 0, 1, 1);
  const { mean, difference } = spreadOf(some);
  assert.ok(mean[0] < 0.7 && mean[1] > 0.7 && difference > 0.2, JSON.stringify({ mean, difference }));
  assert.deepEqual(spreadOf(some), { mean, difference });
});

test('values that differ by group spread more than the same values in one group', () => {
  const apart = [...values('a', 1, 1, 1, 1), ...values('b', 0, 0, 0, 0), ...values('c', 1, 1, 0, 1)];
  const together = apart.map(({ value }) => ({ group: 'a', value }));
  assert.ok(spreadOf(apart).difference > spreadOf(together).difference);
});
