import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeepScore, LocalSmallModel, Pair, Passage, SmallModelChoice } from '../../models/index.ts';
import { SmallClient } from './small-client.ts';

const { signal } = new AbortController();
const task = { signal, progress: () => {} };
const pairs = (n: number): readonly Pair[] => Array.from({ length: n }, (_, i) => ({ a: `${i}`, b: '' }));
const passages = (n: number): readonly Passage[] =>
  Array.from({ length: n }, (_, i) => ({ about: `${i}`, sentences: [''] }));

test('background work is done one input at a time, with a pause before each', async () => {
  const sizes: number[] = [];
  const pauses: number[] = [];
  const client = clientOf(
    {
      keep: async (inputs) => {
        sizes.push(inputs.length);
        return inputs.map(({ about }) => [{ keep: Number(about), kinds: NO_KINDS }]);
      },
    },
    async (ms) => void pauses.push(ms),
  );
  const scores = await client.answers['small.keep']({ inputs: passages(3) }, task);
  assert.deepEqual(
    scores.map(([score]) => score?.keep),
    [0, 1, 2],
  );
  assert.deepEqual(sizes, [1, 1, 1]);
  assert.equal(pauses.length, 3);
  assert.ok(Math.max(...pauses.slice(1)) > 0, 'the work before is followed by a pause');
});

test('each input has its own time, also one that fails', async () => {
  const steps: string[] = [];
  const model = modelOf({
    keep: ([passage]) => {
      steps.push(`ask ${passage?.about}`);
      if (passage?.about === '1') return Promise.reject(new Error('timed out'));
      return Promise.resolve([[{ keep: 1, kinds: NO_KINDS }]]);
    },
  });
  const client = new SmallClient({
    choose: () => ({ kind: 'model', model }),
    pause: async () => void steps.push('pause'),
    onStep: () => steps.push('step'),
  });
  await assert.rejects(async () => client.answers['small.keep']({ inputs: passages(2) }, task), /timed out/);
  assert.deepEqual(steps, ['pause', 'step', 'ask 0', 'step', 'pause', 'step', 'ask 1', 'step']);
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

test('a model that is closed because settings changed is asked again, with the new choice', async () => {
  const asked: string[] = [];
  let close = () => {};
  const first = modelOf({
    keep: ([passage]) =>
      new Promise((_, reject) => {
        asked.push(`first ${passage?.about}`);
        close = () => reject(new Error('it was closed'));
        void client.reload();
      }),
    close: async () => close(),
  });
  const second = modelOf({
    keep: async ([passage]) => {
      asked.push(`second ${passage?.about}`);
      return [[{ keep: 1, kinds: NO_KINDS }]];
    },
  });
  const models = [first, second];
  const client = new SmallClient({
    choose: () => {
      const model = models.shift();
      return model ? { kind: 'model', model } : { kind: 'none', why: 'disabled', next: '' };
    },
    pause: async () => {},
  });
  const scores = await client.answers['small.keep']({ inputs: passages(2) }, task);
  assert.equal(scores.length, 2);
  assert.deepEqual(asked, ['first 0', 'second 0', 'second 1']);
});

test('memories read in time are returned, those after the limit are left to the gate', async (t) => {
  // The time limit keeps no process alive, and neither does the test runner of Node 22.
  const alive = setInterval(() => {}, 1000);
  t.after(() => clearInterval(alive));
  const client = clientOf({
    read: async ([pair], within) => {
      if (pair?.b === 'late')
        await new Promise((_, reject) => within.addEventListener('abort', () => reject(within.reason)));
      return [2.5];
    },
  });
  const memories = ['one', 'late', 'three'].map((text, i) => ({ id: `m${i}`, prompt: 'why pg-boss?', text }));
  assert.deepEqual([...(await client.read(memories, 20.5))], [['m0', 2.5]]);
});

test('a model that fails, or none, reads nothing; none is looked up again', async () => {
  const failing = clientOf({ read: () => Promise.reject(new Error('no such file')) });
  const memories = [{ id: 'm', prompt: 'a prompt', text: 'one' }];
  assert.equal((await failing.read(memories, 1000)).size, 0);

  let choice: SmallModelChoice = { kind: 'none', why: 'not installed', next: '' };
  const client = new SmallClient({ choose: () => choice });
  assert.equal((await client.read(memories, 1000)).size, 0);
  assert.equal(client.found().kind, 'none');
  await assert.rejects(async () => client.answers['small.keep']({ inputs: passages(1) }, task), {
    code: 'no-model',
  });
  choice = { kind: 'model', model: modelOf({ read: async () => [1] }) };
  assert.deepEqual(client.found(), { kind: 'model', version: 'small-0' });
  assert.equal((await client.read(memories, 1000)).get('m'), 1);
  await client.close();
  assert.equal(client.found().kind, 'none', 'after the end no process is started');
});

const NO_KINDS = {} as KeepScore['kinds']; // no test looks at it

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
