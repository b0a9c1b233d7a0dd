import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn } from './_push-queue.ts';

/** Work that ends when the test says so. */
function held(): {
  readonly work: () => Promise<void>;
  readonly end: () => void;
  readonly began: () => boolean;
} {
  let [end, began] = [(): void => {}, false];
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = (): Promise<void> => {
    began = true;
    return ended;
  };
  return { work, end: () => end(), began: () => began };
}

test('two pushes of a project run at once, and the third follows the first that ends', async () => {
  const pushes = [held(), held(), held()] as const;
  const done = pushes.map(({ work }) => inTurn('boats', work));
  await Promise.resolve();
  assert.deepEqual(
    pushes.map(({ began }) => began()),
    [true, true, false],
  );
  pushes[1].end();
  await done[1];
  assert.ok(pushes[2].began());
  for (const { end } of pushes) end();
  await Promise.all(done);
});

test('pushes of another project do not wait', async () => {
  const [first, second, other] = [held(), held(), held()];
  const done = [inTurn('boats', first.work), inTurn('boats', second.work), inTurn('docks', other.work)];
  await Promise.resolve();
  assert.ok(other.began());
  for (const { end } of [first, second, other]) end();
  await Promise.all(done);
});

test('a push that fails lets the next one run', async () => {
  const refused = (): Promise<void> => Promise.reject(new Error('refused'));
  for (let i = 0; i < 3; i++) await assert.rejects(inTurn('boats', refused), /refused/);
  assert.equal(await inTurn('boats', async () => 'stored'), 'stored');
});
