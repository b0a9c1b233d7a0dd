import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reopenable } from './reopenable.ts';

interface Thing {
  readonly number: number;
  readonly why: string;
  open: boolean;
}

function writerStore(options: { failures?: number } = {}) {
  let failures = options.failures ?? 0;
  const things: Thing[] = [];
  const bad = new Set<number>();
  const holder = new Reopenable<Thing>({
    open: async (why) => {
      if (failures-- > 0) throw new Error('not now');
      const thing = { number: things.length, why, open: true };
      things.push(thing);
      return thing;
    },
    close: async (thing) => void (thing.open = false),
    stale: ({ number }) => (bad.has(number) ? 'gone bad' : undefined),
  });
  return { holder, things, bad };
}

test('a value is opened once for all its users', async () => {
  const { holder, things } = writerStore();
  await Promise.all([1, 2, 3].map(() => holder.use(({ number }) => assert.equal(number, 0))));
  assert.equal(things.length, 1);
});

test('after a failed open the next use opens again', async () => {
  const { holder } = writerStore({ failures: 1 });
  await assert.rejects(holder.use(() => {}));
  assert.equal(await holder.use(({ number }) => number), 0);
});

test('a task that runs alone waits for the others, and the others wait for it', async () => {
  const { holder } = writerStore();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const using = holder.use(() => first.promise.then(() => order.push('used')));
  const alone = holder.alone(async () => void order.push('alone'));
  const later = alone.then(() => holder.use(() => void order.push('later')));
  first.resolve();
  await Promise.all([using, alone, later]);
  assert.deepEqual(order, ['used', 'alone', 'later']);
});

test('a stale value is closed and opened again once before the next use', async () => {
  const { holder, things, bad } = writerStore();
  await holder.use(() => {});
  bad.add(0);
  const numbers = await Promise.all([1, 2, 3].map(() => holder.use(({ number }) => number)));
  assert.deepEqual(numbers, [1, 1, 1]);
  assert.deepEqual(
    things.map(({ why, open }) => [why, open]),
    [
      ['', false],
      ['gone bad', true],
    ],
  );
});

test('two tasks that run alone run one after the other', async () => {
  const { holder } = writerStore();
  let inside = 0;
  const work = async () => {
    assert.equal(++inside, 1);
    await Promise.resolve();
    inside--;
  };
  await Promise.all([holder.alone(work), holder.alone(work), holder.use(() => {}), holder.alone(work)]);
});
