import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Login, Waited } from '../index.ts';
import { Follower, type Followed } from './follower.ts';

const LOGIN = { server: 'https://tide.example.org', key: 'tmk_a_b' } as Login; // only these fields are used
const A: Followed = { id: 'a', after: 3 };
const NOTHING: Waited = { changed: [], gone: [], spreadMs: 0 };

/** A server whose answers the test gives. */
function played(later?: (work: () => void) => () => void) {
  const asked: {
    projects: readonly Followed[];
    signal: AbortSignal;
    answer: PromiseWithResolvers<Waited | undefined>;
  }[] = [];
  const changed: (readonly string[])[] = [];
  const delays: number[] = [];
  const clock = { now: 0 };
  const follower = new Follower({
    server: () => ({
      wait: (projects, signal) => {
        const answer = Promise.withResolvers<Waited | undefined>();
        signal.addEventListener('abort', () => answer.reject(new Error('aborted')));
        asked.push({ projects, signal, answer });
        return answer.promise;
      },
    }),
    onChange: (projects) => void changed.push(projects),
    random: () => 0.5,
    later: (work, ms) => {
      delays.push(ms);
      if (later) return later(work);
      work();
      return () => {};
    },
    now: () => clock.now,
  });
  const answer = async (waited: Waited | undefined | Error, waitedMs = 2000): Promise<void> => {
    const last = asked.at(-1)?.answer;
    clock.now += waitedMs;
    if (waited instanceof Error) last?.reject(waited);
    else last?.resolve(waited);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { follower, asked, changed, delays, clock, answer };
}

test('a follower asks again after an empty answer, and reports a change within the asked time', async () => {
  const { follower, asked, changed, delays, answer } = played();
  follower.follow(LOGIN, [A]);
  await answer(NOTHING);
  assert.equal(asked.length, 2);
  assert.equal(follower.covers('a'), true);
  await answer({ changed: ['a'], gone: [], spreadMs: 4000 });
  assert.deepEqual(changed, [['a']]);
  assert.deepEqual(delays, [2000]);
  assert.equal(asked.length, 2, 'the next round begins the next wait');
  assert.equal(follower.covers('a'), false);
});

test('a follower keeps its request while the projects stay the same, and asks with new numbers next', async () => {
  const { follower, asked, answer } = played();
  follower.follow(LOGIN, [A]);
  follower.follow(LOGIN, [{ id: 'a', after: 7 }]);
  assert.equal(asked.length, 1);
  await answer(NOTHING);
  assert.deepEqual(asked[1]?.projects, [{ id: 'a', after: 7 }]);
  follower.follow(LOGIN, [A, { id: 'b', after: 0 }]);
  assert.equal(asked[1]?.signal.aborted, true);
  assert.equal(asked.length, 3);
});

test('a follower does not ask at once for a change that the pull did not get past', async () => {
  const { follower, asked, clock, answer } = played();
  follower.follow(LOGIN, [A]);
  await answer({ changed: ['a'], gone: [], spreadMs: 0 });
  follower.follow(LOGIN, [A]);
  assert.equal(asked.length, 1);
  clock.now += 61_000;
  follower.follow(LOGIN, [A]);
  assert.equal(asked.length, 2);
});

test('a change that is about to be reported survives a round, but not a stop', async () => {
  const timers = new Set<() => void>();
  const { follower, asked, changed, answer } = played((work) => {
    timers.add(work);
    return () => timers.delete(work);
  });
  const fire = (): void => {
    for (const work of timers) work();
    timers.clear();
  };
  const b: Followed = { id: 'b', after: 0 };
  follower.follow(LOGIN, [A, b]);
  await answer({ changed: ['a'], gone: [], spreadMs: 4000 });
  follower.follow(LOGIN, [A, b]);
  assert.deepEqual(asked.at(-1)?.projects, [b]);
  await answer({ changed: ['b'], gone: [], spreadMs: 4000 });
  fire();
  assert.deepEqual(changed, [['a', 'b']]);

  follower.follow(LOGIN, [{ id: 'a', after: 9 }]);
  await answer({ changed: ['a'], gone: [], spreadMs: 4000 });
  follower.stop();
  fire();
  assert.equal(changed.length, 1);
  follower.follow(LOGIN, [{ id: 'a', after: 9 }]);
  assert.deepEqual(asked.at(-1)?.projects, [{ id: 'a', after: 9 }]);
  assert.equal(asked.length, 4, 'a new wait begins after a stop');
});

test('a follower leaves an older server to regular pulls for an hour', async () => {
  const { follower, asked, clock, answer } = played();
  follower.follow(LOGIN, [A]);
  await answer(undefined);
  follower.follow(LOGIN, [A]);
  assert.equal(asked.length, 1);
  assert.equal(follower.covers('a'), false);
  clock.now += 60 * 60_000;
  follower.follow(LOGIN, [A]);
  assert.equal(asked.length, 2);
});

test('a follower waits longer after each failure, by a random part', async () => {
  const { follower, asked, clock, answer } = played();
  for (const ms of [5000, 10_000]) {
    follower.follow(LOGIN, [A]);
    await answer(new Error('connection closed'));
    clock.now += ms - 1;
    const before = asked.length;
    follower.follow(LOGIN, [A]);
    assert.equal(asked.length, before);
    clock.now += 1;
  }
});

test('a follower does not ask again at once after an empty answer that came at once', async () => {
  const { follower, asked, answer } = played();
  follower.follow(LOGIN, [A]);
  await answer(NOTHING, 10);
  follower.follow(LOGIN, [A]);
  assert.equal(asked.length, 1);
});

test('a stopped follower ends its request and reports nothing', async () => {
  const { follower, asked, changed, answer } = played();
  follower.follow(LOGIN, [A]);
  follower.stop();
  assert.equal(asked[0]?.signal.aborted, true);
  await answer({ changed: ['a'], gone: [], spreadMs: 0 });
  assert.deepEqual(changed, []);
});
