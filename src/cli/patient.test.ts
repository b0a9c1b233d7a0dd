import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../daemon/index.ts';
import { patient } from './patient.ts';

test('a call that takes its time says so, and the line is gone with the answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const drawn: string[] = [];
  const screen = { progress: (text: string) => void drawn.push(text), done: () => void drawn.push('wiped') };
  const waiting = Promise.withResolvers<unknown>();
  const client = patient({ call: () => waiting.promise } as unknown as Client, screen);
  const answer = client.call('read.search', { query: 'x' });
  t.mock.timers.tick(1999);
  assert.deepEqual(drawn, []);
  t.mock.timers.tick(1);
  assert.match(drawn[0] ?? '', /^Waiting for the daemon/);
  waiting.resolve('there');
  assert.equal(await answer, 'there');
  assert.equal(drawn[1], 'wiped');
  const quick = patient({ call: async () => 'at once' } as unknown as Client, screen);
  assert.equal(await quick.call('read.search', { query: 'x' }), 'at once');
  t.mock.timers.tick(5000);
  assert.equal(drawn.length, 2);
});
