import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runQueue } from './_queue.mjs';

test('the queue fills its slots in order and starts the next job when one ends', async () => {
  const { log, start, end } = recorder();
  const done = runQueue(jobsOf('a', 'b', 'c'), 2, start);
  assert.deepEqual(log, ['a', 'b']);
  await end('b');
  assert.deepEqual(log, ['a', 'b', 'c']);
  await end('a');
  await end('c');
  await done;
});

test('a job marked alone has no other beside it', async () => {
  const { log, start, end } = recorder();
  const jobs = [...jobsOf('a'), { name: 'b', alone: true }, ...jobsOf('c')];
  const done = runQueue(jobs, 2, start);
  assert.deepEqual(log, ['a']);
  await end('a');
  assert.deepEqual(log, ['a', 'b']);
  await end('b');
  assert.deepEqual(log, ['a', 'b', 'c']);
  await end('c');
  await done;
});

function jobsOf(...names) {
  return names.map((name) => ({ name, alone: false }));
}

/** Jobs that run until `end` is called with their name; `log` lists those that started. */
function recorder() {
  const [log, ends] = [[], new Map()];
  return {
    log,
    start: ({ name }) => {
      log.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    },
    end: async (name) => {
      ends.get(name)();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
