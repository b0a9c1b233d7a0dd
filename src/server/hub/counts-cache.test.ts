import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '../store/index.ts';
import { CountsCache } from './counts-cache.ts';

/** A member who may read these projects, whose last change has this number. */
function workAt(seq: number, projects: readonly string[]): Work {
  const rows = async () => projects.map((project) => ({ project_id: project, seq }));
  // The cache calls only `rows`.
  return { team: 'harbour', member: 'ada', rows } as unknown as Work;
}

test('a count is reused until something changes, for members who may read the same projects', async () => {
  const counts = new CountsCache();
  let times = 0;
  const count = async () => ++times;
  assert.equal(await counts.of(workAt(1, ['a', 'b']), 'all', count), 1);
  assert.equal(await counts.of(workAt(1, ['b', 'a']), 'all', count), 1);
  assert.equal(await counts.of(workAt(1, ['a']), 'all', count), 2);
  assert.equal(await counts.of(workAt(1, ['a', 'b']), 'other', count), 3);
  assert.equal(await counts.of(workAt(2, ['a', 'b']), 'all', count), 4);
});

test('a slow count is not repeated after every change', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const counts = new CountsCache();
  let times = 0;
  const slowCount = async () => {
    now += 1000;
    return ++times;
  };
  assert.equal(await counts.of(workAt(1, ['a']), 'all', slowCount), 1);
  now += 10_000;
  assert.equal(await counts.of(workAt(2, ['a']), 'all', slowCount), 1);
  now += 15_000;
  assert.equal(await counts.of(workAt(3, ['a']), 'all', slowCount), 2);
});
