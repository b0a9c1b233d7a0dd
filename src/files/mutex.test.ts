import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mutex } from './mutex.ts';

test('a mutex runs one task at a time, in order, and goes on after a failure', async () => {
  const mutex = new Mutex();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = mutex.run(async () => {
    log.push('one begins');
    await first.promise;
    log.push('one ends');
    throw new Error('failed');
  });
  const two = mutex.run(() => log.push('two'));
  await Promise.resolve();
  first.resolve();
  await assert.rejects(one, /failed/);
  await two;
  assert.deepEqual(log, ['one begins', 'one ends', 'two']);
});

test('a mutex is idle when tasks that were added while waiting are done as well', async () => {
  const mutex = new Mutex();
  let done = 0;
  void mutex.run(() => {
    done++;
    void mutex.run(() => void done++);
  });
  await mutex.idle();
  assert.equal(done, 2);
});
