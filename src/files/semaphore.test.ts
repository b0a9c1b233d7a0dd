import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from './semaphore.ts';

function gate() {
  return Promise.withResolvers<void>();
}

test('so many go at once, the rest follow in the order they came', async () => {
  const turnstile = new Semaphore(2, 10_000);
  const gates = [gate(), gate(), gate(), gate()];
  const began: number[] = [];
  const all = gates.map((one, i) =>
    turnstile.through(async () => {
      began.push(i);
      await one.promise;
    }),
  );
  await Promise.resolve();
  assert.deepEqual(began, [0, 1]);
  assert.equal(turnstile.waiting, 2);
  gates[1]?.resolve();
  await all[1];
  assert.deepEqual(began, [0, 1, 2]);
  for (const one of gates) one.resolve();
  await Promise.all(all);
  assert.deepEqual(began, [0, 1, 2, 3]);
});

test('a failure gives its place back', async () => {
  const turnstile = new Semaphore(1, 10_000);
  await assert.rejects(turnstile.through(() => Promise.reject(new Error('no'))));
  assert.equal(await turnstile.through(() => Promise.resolve('yes')), 'yes');
});

test('who waits too long is told so, and the place is not lost', async () => {
  const turnstile = new Semaphore(1, 1);
  const first = gate();
  const holding = turnstile.through(() => first.promise);
  await assert.rejects(
    turnstile.through(() => Promise.resolve()),
    { code: 'database-unavailable' },
  );
  first.resolve();
  await holding;
  assert.equal(await turnstile.through(() => Promise.resolve('again')), 'again');
});
