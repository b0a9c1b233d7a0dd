import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '../store/index.ts';
import { Counted } from './counted.ts';

/** A team at a number, of which so many projects may be read. */
function workAt(seq: number, projects: readonly string[]): Work {
  // Only this one question is asked of it.
  return { team: 'harbour', member: 'ada', row: async () => ({ seq, projects }) } as unknown as Work;
}

test('what was counted holds until something changes, and for who may read the same', async () => {
  const counted = new Counted();
  let times = 0;
  const count = async () => ++times;
  assert.equal(await counted.of(workAt(1, ['a', 'b']), 'all', count), 1);
  assert.equal(await counted.of(workAt(1, ['b', 'a']), 'all', count), 1);
  assert.equal(await counted.of(workAt(1, ['a']), 'all', count), 2);
  assert.equal(await counted.of(workAt(1, ['a', 'b']), 'other', count), 3);
  assert.equal(await counted.of(workAt(2, ['a', 'b']), 'all', count), 4);
});

test('what takes long to count is not counted with every change', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const counted = new Counted();
  let times = 0;
  const slowly = async () => {
    now += 1000;
    return ++times;
  };
  assert.equal(await counted.of(workAt(1, ['a']), 'all', slowly), 1);
  now += 10_000;
  assert.equal(await counted.of(workAt(2, ['a']), 'all', slowly), 1);
  now += 15_000;
  assert.equal(await counted.of(workAt(3, ['a']), 'all', slowly), 2);
});
