import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventPriority } from './event-priority.ts';

test('long work waits for an event of another session, and goes on when it is done', async () => {
  const way = new EventPriority();
  const order: string[] = [];
  const event = Promise.withResolvers<void>();
  const processing = way.first('a', () => event.promise.then(() => void order.push('event')));
  const importing = way.giveWay('b').then(() => order.push('import'));
  event.resolve();
  await Promise.all([processing, importing]);
  assert.deepEqual(order, ['event', 'import']);
});

test('work for the session of the event itself does not wait', async () => {
  const way = new EventPriority();
  await way.first('a', () => way.giveWay('a'));
});

test('an event that failed holds up nobody', async () => {
  const way = new EventPriority();
  await assert.rejects(way.first('a', () => Promise.reject(new Error('no'))));
  await way.giveWay('b');
});
