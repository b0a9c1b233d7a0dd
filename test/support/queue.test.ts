import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runQueue } from './queue.ts';

test('the queue fills its slots in order and starts the next job when one ends', async () => {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const done = runQueue(['a', 'b', 'c', 'd'], 2, (job) => {
    started.push(job);
    return new Promise<void>((resolve) => ends.set(job, resolve));
  });
  const end = async (job: string) => {
    ends.get(job)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  assert.deepEqual(started, ['a', 'b']);
  await end('b');
  assert.deepEqual(started, ['a', 'b', 'c']);
  await end('a');
  await end('c');
  await end('d');
  await done;
  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
});

test('the queue fails when a job fails', async () => {
  await assert.rejects(
    runQueue(['a'], 2, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
});
