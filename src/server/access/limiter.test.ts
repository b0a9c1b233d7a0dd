import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Limiter } from './limiter.ts';

function limiterAt(rate: { perSecond: number; burst: number }) {
  const clock = { now: 0 };
  return { clock, limiter: new Limiter(rate, () => clock.now) };
}

test('a burst passes, then one request at a time as the bucket fills', () => {
  const { clock, limiter } = limiterAt({ perSecond: 2, burst: 3 });
  assert.deepEqual(
    [1, 2, 3].map(() => limiter.take('a')),
    [0, 0, 0],
  );
  assert.equal(limiter.take('a'), 1);
  clock.now = 500;
  assert.equal(limiter.take('a'), 0);
  assert.equal(limiter.take('a'), 1);
});

test('each caller has its own bucket', () => {
  const { limiter } = limiterAt({ perSecond: 1, burst: 1 });
  assert.equal(limiter.take('a'), 0);
  assert.equal(limiter.take('a'), 1);
  assert.equal(limiter.take('b'), 0);
});

test('take returns the seconds to wait, after which it passes', () => {
  const { clock, limiter } = limiterAt({ perSecond: 0.1, burst: 1 });
  limiter.take('a');
  assert.equal(limiter.take('a'), 10);
  clock.now = 10_000;
  assert.equal(limiter.take('a'), 0);
});

test('a cost above the capacity passes when the bucket is full', () => {
  const { limiter } = limiterAt({ perSecond: 1, burst: 5 });
  assert.equal(limiter.take('a', 100), 0);
  assert.equal(limiter.take('a', 100), 5);
});

test('isOpen takes nothing', () => {
  const { limiter } = limiterAt({ perSecond: 1, burst: 1 });
  assert.equal(limiter.isOpen('a'), true);
  assert.equal(limiter.isOpen('a'), true);
  limiter.take('a');
  assert.equal(limiter.isOpen('a'), false);
});

test('what ran off is not reported as if it came at once', () => {
  const { clock, limiter } = limiterAt({ perSecond: 1, burst: 10 });
  for (let n = 0; n < 1000; n++) {
    clock.now += 10_000;
    limiter.take('a');
  }
  assert.equal(limiter.unreported('a'), 1);
});

test('the level of all servers replaces the own one, and what was used meanwhile comes on top', () => {
  const { limiter } = limiterAt({ perSecond: 1, burst: 10 });
  for (let n = 0; n < 3; n++) limiter.take('a');
  assert.equal(limiter.unreported('a'), 3);
  assert.equal(limiter.unreported('a'), 0);
  limiter.take('a');
  limiter.settle('a', 8);
  assert.equal(limiter.fullness('a'), 0.9);
  assert.equal(limiter.take('a'), 0);
  assert.equal(limiter.take('a'), 1);
});
