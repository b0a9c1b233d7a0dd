import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedMutex, Mutex } from './mutex.ts';

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

test('a keyed mutex runs tasks of one key in order, and other keys at once', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = mutex.run('a', () => first.promise.then(() => log.push('a1')));
  const two = mutex.run('a', () => log.push('a2'));
  await mutex.run('b', () => log.push('b'));
  first.resolve();
  await Promise.all([one, two]);
  await mutex.run('a', () => log.push('a3'));
  assert.deepEqual(log, ['b', 'a1', 'a2', 'a3']);
});
