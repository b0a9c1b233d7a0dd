import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXTURE_MEMORIES } from '../../test/support/recall-fixture.ts';
import type { Memory } from '../core/index.ts';
import { echoOf } from './echoes.ts';

const NONE = { rows: 50, counts: new Map<string, number>() };
const WEBHOOK = named('Webhook signature check needs the raw body');
const REDIS = named('会话存储使用 Redis 哈希');
const ask = 'Why do webhooks fail?';

test('an answer with telling words of the memory is an echo', () => {
  const said =
    'Staging rejects them because express.json() consumed the request first; mount verifySignature before it.';
  const echoed = echoOf(WEBHOOK, { said, had: ask, read: [] }, NONE);
  assert.ok(echoed.includes('verifysignature'), echoed.join(' '));
});

test('an answer on the same subject in other words is no echo', () => {
  const said =
    'Webhooks fail when the endpoint is slow or the secret was rotated. Check the logs and retry the delivery.';
  assert.deepEqual(echoOf(WEBHOOK, { said, had: ask, read: [] }, NONE), []);
});

test('words of the prompt, an earlier answer or a tool are no echo', () => {
  const said = 'express.json() consumed the request before verifySignature saw it, so staging failed.';
  for (const had of [
    `${ask} I think express.json() consumed the request before verifySignature saw it in staging.`,
    `Error: verifySignature called after express.json() consumed the request (staging)`,
  ])
    assert.deepEqual(echoOf(WEBHOOK, { said, had, read: [] }, NONE), [], had);
});

test('names from a file the agent read are no echo', () => {
  const said = 'src/app.ts mounts express.json() and then verifySignature.';
  const had = 'Look at the app.';
  assert.deepEqual(echoOf(WEBHOOK, { said, had, read: ['src/app.ts'] }, NONE), []);
});

test('words of many memories are no echo', () => {
  const said =
    'Staging rejects them because express.json() consumed the request first; mount verifySignature before it.';
  const counts = new Map(
    ['consum', 'stage', 'verifysignature', 'express.json', 'request', 'mount'].map((token) => [token, 40]),
  );
  assert.deepEqual(echoOf(WEBHOOK, { said, had: ask, read: [] }, { rows: 50, counts }), []);
});

test('echoes are found in Chinese too', () => {
  const said = '会话存储使用 Redis 哈希,因为过期时间可以按会话设置。';
  assert.ok(echoOf(REDIS, { said, had: 'where do sessions live?', read: [] }, NONE).length > 0);
  assert.deepEqual(echoOf(REDIS, { said: '我已经修好了登录按钮。', had: 'fix it', read: [] }, NONE), []);
});

test('the text of one memory is no echo of another', () => {
  for (const memory of FIXTURE_MEMORIES)
    for (const other of FIXTURE_MEMORIES) {
      if (other === memory || shared(memory, other)) continue;
      const said = `${other.title}. ${other.body} ${other.reason ?? ''}`;
      assert.deepEqual(
        echoOf(memory, { said, had: '', read: [] }, NONE),
        [],
        `${other.title} → ${memory.title}`,
      );
    }
});

/** Two memories on the same topic: an answer about one may echo the other. */
function shared(a: Memory, b: Memory): boolean {
  return (
    a.files.some((file) => b.files.includes(file)) || a.concepts.some((word) => b.concepts.includes(word))
  );
}

function named(title: string): Memory {
  const found = FIXTURE_MEMORIES.find((memory) => memory.title === title);
  assert.ok(found, title);
  return found;
}
