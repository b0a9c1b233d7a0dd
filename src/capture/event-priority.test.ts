import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventPriority } from './pipeline.ts';

test('long work waits for an event of another session to finish', async () => {
  const priority = new EventPriority();
  const order: string[] = [];
  const event = Promise.withResolvers<void>();
  const processing = priority.first('a', () => event.promise.then(() => void order.push('event')));
  const importing = priority.waitFor('b').then(() => order.push('import'));
  event.resolve();
  await Promise.all([processing, importing]);
  assert.deepEqual(order, ['event', 'import']);
});

test('work for the session of the event itself does not wait', async () => {
  const priority = new EventPriority();
  await priority.first('a', () => priority.waitFor('a'));
});

test('an event that failed does not block later work', async () => {
  const priority = new EventPriority();
  await assert.rejects(priority.first('a', () => Promise.reject(new Error('no'))));
  await priority.waitFor('b');
});
