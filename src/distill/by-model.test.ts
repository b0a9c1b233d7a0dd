import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distillByModel, type ModelCall } from './by-model.ts';
import { failed, type Driver, type DriverAnswer, type DriverRequest, type Usage } from './drivers/driver.ts';

const REQUEST: DriverRequest = { session: 's', system: '', prompt: 'p', schema: {}, asText: '' };
const USAGE: Usage = { model: 'm', inputTokens: 10, outputTokens: 5, requests: 1 };
const GOOD: DriverAnswer = { kind: 'answered', text: '{"operations":[]}', usage: USAGE };
const GARBAGE: DriverAnswer = { kind: 'answered', text: 'lorem', usage: USAGE };

test('a failed or invalid answer is retried after 1, 2 and 4 seconds', async () => {
  const play = played([failed('overloaded', '529'), GARBAGE, failed('timed-out', ''), GOOD]);
  assert.deepEqual(await distillByModel(REQUEST, play.call), { kind: 'done', value: [] });
  assert.deepEqual(play.waits, [1000, 2000, 4000]);
  assert.deepEqual(
    play.spent.map((usage) => usage?.model),
    ['m', undefined, 'm'],
    'every cost is reported, also of an unusable reply and of a request without a response',
  );
  assert.deepEqual(play.replies, ['lorem', '{"operations":[]}']);
});

test('after that it gives up with the reason', async () => {
  const play = played([GARBAGE, GARBAGE, GARBAGE, GARBAGE, GOOD]);
  const asked = await distillByModel(REQUEST, play.call);
  assert.equal(asked.kind === 'given-up' && asked.reason, 'invalid-reply');
  assert.equal(play.waits.length, 3);
});

test('retry-after is honoured within reason; beyond that the driver is not used', async () => {
  const patient = played([failed('limited', '429', { retryAfterMs: 7000 }), GOOD]);
  assert.equal((await distillByModel(REQUEST, patient.call)).kind, 'done');
  assert.deepEqual(patient.waits, [7000]);
  const hopeless = played([failed('limited', '429', { retryAfterMs: 3_600_000 }), GOOD]);
  const asked = await distillByModel(REQUEST, hopeless.call);
  assert.equal(asked.kind === 'given-up' && asked.restMs, 3_600_000);
  assert.deepEqual(hopeless.waits, []);
});

test('the ceiling is checked before every request, retries included', async () => {
  const play = played([GARBAGE, GOOD]);
  let left = 1;
  const asked = await distillByModel(REQUEST, {
    ...play.call,
    overCeiling: () => (left-- > 0 ? undefined : 'day'),
  });
  assert.equal(asked.kind, 'over-ceiling');
  assert.equal(play.spent.length, 1);
});

test('a missing driver is not retried, and nothing is after a stop', async () => {
  const missing = played([failed('missing', 'no client')]);
  assert.equal((await distillByModel(REQUEST, missing.call)).kind, 'given-up');
  assert.deepEqual(missing.waits, []);
  const leaving = new AbortController();
  const stopped = played([failed('aborted', ''), GOOD]);
  leaving.abort();
  assert.equal((await distillByModel(REQUEST, { ...stopped.call, signal: leaving.signal })).kind, 'given-up');
  assert.deepEqual(stopped.waits, []);
});

function played(answers: DriverAnswer[]) {
  const waits: number[] = [];
  const spent: (Usage | undefined)[] = [];
  const replies: string[] = [];
  const driver: Driver = {
    name: 'api',
    model: 'm',
    ask: () => Promise.resolve(answers.shift() ?? failed('no-answer', 'the play is over')),
    health: () => Promise.resolve({ works: true, evidence: '' }),
    close: async () => {},
  };
  const call: ModelCall = {
    driver,
    signal: new AbortController().signal,
    overCeiling: () => undefined,
    spent: async (usage) => void spent.push(usage),
    replied: async (text) => void replies.push(text),
    wait: async (ms) => void waits.push(ms),
  };
  return { call, waits, spent, replies };
}
