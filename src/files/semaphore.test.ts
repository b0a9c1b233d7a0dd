import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from './semaphore.ts';

const busy = () => new Error('busy');

test('a semaphore runs a fixed number of tasks at once and the others in order', async () => {
  const semaphore = new Semaphore(2, 10_000, busy);
  const tasks = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const began: number[] = [];
  const all = tasks.map((one, i) =>
    semaphore.run(async () => {
      began.push(i);
      await one.promise;
    }),
  );
  await Promise.resolve();
  assert.deepEqual(began, [0, 1]);
  assert.equal(semaphore.waiting, 2);
  tasks[1]?.resolve();
  await all[1];
  assert.deepEqual(began, [0, 1, 2]);
  for (const one of tasks) one.resolve();
  await Promise.all(all);
  assert.deepEqual(began, [0, 1, 2, 3]);
});

test('a task that fails frees its slot', async () => {
  const semaphore = new Semaphore(1, 10_000, busy);
  await assert.rejects(semaphore.run(() => Promise.reject(new Error('no'))));
  assert.equal(await semaphore.run(() => Promise.resolve('yes')), 'yes');
});

test('a task that waits too long fails without losing a slot', async () => {
  const semaphore = new Semaphore(1, 1, busy);
  const first = Promise.withResolvers<void>();
  const holding = semaphore.run(() => first.promise);
  await assert.rejects(
    semaphore.run(() => Promise.resolve()),
    /busy/,
  );
  first.resolve();
  await holding;
  assert.equal(await semaphore.run(() => Promise.resolve('again')), 'again');
});
