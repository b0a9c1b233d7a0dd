import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LocalSmallModel, Pair, SmallModelChoice } from '../../models/index.ts';
import { SmallClient } from './small-client.ts';

const { signal } = new AbortController();
const task = { signal, progress: () => {} };
const pairs = (n: number): readonly Pair[] => Array.from({ length: n }, (_, i) => ({ a: `${i}`, b: '' }));

test('background work is done one input at a time, with a pause before each', async () => {
  const sizes: number[] = [];
  const pauses: number[] = [];
  const client = clientOf(
    {
      keep: async (inputs) => {
        sizes.push(inputs.length);
        return inputs.map(({ a }) => ({ keep: Number(a), kinds: NO_KINDS }));
      },
    },
    async (ms) => void pauses.push(ms),
  );
  const scores = await client.answers['small.keep']({ inputs: pairs(3) }, task);
  assert.deepEqual(
    scores.map(({ keep }) => keep),
    [0, 1, 2],
  );
  assert.deepEqual(sizes, [1, 1, 1]);
  assert.equal(pauses.length, 3);
  assert.ok(Math.max(...pauses.slice(1)) > 0, 'the work before is followed by a pause');
});

test('a stopped call asks the model for no further input', async () => {
  const stop = new AbortController();
  let asked = 0;
  const client = clientOf({
    relate: async (inputs) => {
      asked++;
      stop.abort();
      return inputs.map(() => ({ nothing: 1, same: 0, supersedes: 0, resolves: 0 }));
    },
  });
  const answer = client.answers['small.relate']({ inputs: pairs(20) }, { ...task, signal: stop.signal });
  await assert.rejects(Promise.resolve(answer), { name: 'AbortError' });
  assert.equal(asked, 1);
});

test('memories read in time are returned, those after the limit are left to the gate', async () => {
  const client = clientOf({
    read: async ([pair], within) => {
      if (pair?.b === 'late')
        await new Promise((_, reject) => within.addEventListener('abort', () => reject(within.reason)));
      return [2.5];
    },
  });
  const memories = ['one', 'late', 'three'].map((text, i) => ({ id: `m${i}`, text }));
  assert.deepEqual([...(await client.read('why pg-boss?', memories, 20.5))], [['m0', 2.5]]);
});

test('a model that fails, or none, reads nothing; none is looked up again', async () => {
  const failing = clientOf({ read: () => Promise.reject(new Error('no such file')) });
  const memories = [{ id: 'm', text: 'one' }];
  assert.equal((await failing.read('a prompt', memories, 1000)).size, 0);

  let choice: SmallModelChoice = { kind: 'none', why: 'not installed', next: '' };
  const client = new SmallClient({ choose: () => choice });
  assert.equal((await client.read('a prompt', memories, 1000)).size, 0);
  assert.equal(client.found().kind, 'none');
  await assert.rejects(async () => client.answers['small.keep']({ inputs: pairs(1) }, task), {
    code: 'no-model',
  });
  choice = { kind: 'model', model: modelOf({ read: async () => [1] }) };
  assert.deepEqual(client.found(), { kind: 'model', version: 'small-0' });
  assert.equal((await client.read('a prompt', memories, 1000)).get('m'), 1);
  await client.close();
  assert.equal(client.found().kind, 'none', 'after the end no process is started');
});

const NO_KINDS = {} as Awaited<ReturnType<LocalSmallModel['keep']>>[number]['kinds']; // no test looks at it

function modelOf(parts: Partial<LocalSmallModel>): LocalSmallModel {
  const none = () => Promise.reject(new Error('not expected'));
  const rest = { warm: () => {}, close: async () => {} };
  return { version: 'small-0', keep: none, relate: none, read: none, ...rest, ...parts };
}

function clientOf(
  parts: Partial<LocalSmallModel>,
  pause: (ms: number, signal: AbortSignal) => Promise<void> = async () => {},
): SmallClient {
  return new SmallClient({ choose: () => ({ kind: 'model', model: modelOf(parts) }), pause });
}
