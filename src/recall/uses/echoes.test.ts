import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXTURE_MEMORIES } from '../../../test/support/recall-fixture.ts';
import type { Memory, ToolCall } from '../../core/index.ts';
import type { Frequencies } from '../../database/index.ts';
import { turnWords } from './_turn-words.ts';
import { echoOf } from './echoes.ts';

const NONE = { rows: 50, counts: new Map<string, number>() };
const WEBHOOK = named('Webhook signature check needs the raw body');
const REDIS = named('会话存储使用 Redis 哈希');
const ask = 'Why do webhooks fail?';

interface Said {
  readonly answer?: string;
  readonly had?: string;
  readonly tools?: readonly ToolCall[];
  readonly read?: readonly string[];
}

/** The words of the turn that echo the memory. */
function echo(memory: Memory, said: Said, frequency: Frequencies = NONE): readonly string[] {
  const { answer = '', had = ask, tools = [], read = [] } = said;
  return echoOf(memory, { ...turnWords({ answer, had, tools, read }), read }, frequency);
}

test('an answer with telling words of the memory is an echo', () => {
  const answer =
    'Staging rejects them because express.json() consumed the request first; mount verifySignature before it.';
  const echoed = echo(WEBHOOK, { answer });
  assert.ok(echoed.includes('verifysignature'), echoed.join(' '));
});

test('an answer on the same subject in other words is no echo', () => {
  const answer =
    'Webhooks fail when the endpoint is slow or the secret was rotated. Check the logs and retry the delivery.';
  assert.deepEqual(echo(WEBHOOK, { answer }), []);
});

test('words of the prompt, an earlier answer or a tool are no echo', () => {
  const answer = 'express.json() consumed the request before verifySignature saw it, so staging failed.';
  const had = `${ask} I think express.json() consumed the request before verifySignature saw it in staging.`;
  assert.deepEqual(echo(WEBHOOK, { answer, had }), []);
  const output = 'Error: verifySignature called after express.json() consumed the request (staging)';
  assert.deepEqual(echo(WEBHOOK, { answer, tools: [ran('npm test', output)] }), []);
});

test('names from a file the agent read are no echo', () => {
  const answer = 'src/app.ts mounts express.json() and then verifySignature.';
  assert.deepEqual(echo(WEBHOOK, { answer, had: 'Look at the app.', read: ['src/app.ts'] }), []);
});

test('words of many memories are no echo', () => {
  const answer =
    'Staging rejects them because express.json() consumed the request first; mount verifySignature before it.';
  const counts = new Map(
    ['consum', 'stage', 'verifysignature', 'express.json', 'request', 'mount'].map((token) => [token, 40]),
  );
  assert.deepEqual(echo(WEBHOOK, { answer }, { rows: 50, counts }), []);
});

test('echoes are found in Chinese too', () => {
  const answer = '会话存储使用 Redis 哈希,因为过期时间可以按会话设置。';
  assert.ok(echo(REDIS, { answer, had: 'where do sessions live?' }).length > 0);
  assert.deepEqual(echo(REDIS, { answer: '我已经修好了登录按钮。', had: 'fix it' }), []);
});

test('the text of one memory is no echo of another', () => {
  for (const memory of FIXTURE_MEMORIES)
    for (const other of FIXTURE_MEMORIES) {
      if (other === memory || shared(memory, other)) continue;
      const answer = `${other.title}. ${other.body} ${other.reason ?? ''}`;
      assert.deepEqual(echo(memory, { answer, had: '' }), [], `${other.title} → ${memory.title}`);
    }
});

const PNPM = rule('Use pnpm, not npm');
const VALIBOT = rule('Validate input with valibot instead of zod');

test('a command that follows a rule is an echo', () => {
  const had = 'add lodash to the project';
  assert.deepEqual(echo(PNPM, { had, tools: [ran('pnpm add lodash')] }), ['pnpm']);
  assert.deepEqual(echo(PNPM, { had, tools: [ran('cd web && CI=1 pnpm add lodash')] }), ['pnpm']);
});

test('a command is compared with what came before it, not with its own output', () => {
  const had = 'add lodash to the project';
  const own = ran('pnpm add lodash', 'pnpm: added 1 package');
  assert.deepEqual(echo(PNPM, { had, tools: [own] }), ['pnpm']);
  assert.deepEqual(echo(PNPM, { had, tools: [ran('ls', 'pnpm-lock.yaml pnpm src'), own] }), []);
});

test('a command against the rule, or one the user asked for, is no echo', () => {
  const had = 'add lodash to the project';
  assert.deepEqual(echo(PNPM, { had, tools: [ran('npm install lodash')] }), []);
  assert.deepEqual(echo(PNPM, { had, tools: [ran('pnpm add lodash'), ran('npm install')] }), []);
  assert.deepEqual(echo(PNPM, { had: 'run pnpm add lodash', tools: [ran('pnpm add lodash')] }), []);
  const denied = { ...ran('pnpm add lodash'), status: 'denied' as const };
  assert.deepEqual(echo(PNPM, { had, tools: [denied] }), []);
  assert.deepEqual(echo(rule('Never run eslint here'), { had, tools: [ran('eslint src')] }), []);
});

test('an edit that takes the wanted side of a rule is an echo', () => {
  const had = 'check the body of the signup form';
  assert.deepEqual(echo(VALIBOT, { had, tools: [wrote('import', 'valibot', 'object')] }), ['valibot']);
  assert.deepEqual(echo(VALIBOT, { had, tools: [wrote('import', 'zod', 'object')] }), []);
  assert.deepEqual(echo(VALIBOT, { had, tools: [wrote('input', 'validate')] }), []);
});

test('a name of the memory in an edit is an echo', () => {
  const memory = rule('Dates are parsed by parseIsoDay, because Date.parse guesses the zone');
  const had = 'read the day from the query string';
  assert.deepEqual(echo(memory, { had, tools: [wrote('const', 'parseIsoDay')] }), ['parseisoday']);
  assert.deepEqual(echo(memory, { had: `${had} with parse_iso_day`, tools: [wrote('parseIsoDay')] }), []);
  assert.deepEqual(echo(memory, { had, tools: [wrote('parseDay')] }), []);
});

test('a number of the memory counts beside a word of its title', () => {
  const memory = rule('Imports run in batches of 350 rows');
  const had = 'write the loader for the CSV';
  assert.deepEqual(echo(memory, { had, tools: [wrote('BATCH_ROWS', '350')] }), ['350']);
  assert.deepEqual(echo(memory, { had, tools: [wrote('timeout', '350')] }), []);
  assert.deepEqual(echo(memory, { had: `${had}, 350 at a time`, tools: [wrote('batch', '350')] }), []);
});

test('doing what a dead end describes is no echo', () => {
  const memory = { ...rule('streamToDisk loses the last chunk'), kind: 'dead_end' as const };
  assert.deepEqual(echo(memory, { had: 'store the upload', tools: [wrote('streamToDisk')] }), []);
});

let calls = 0;

function ran(command: string, output = ''): ToolCall {
  const id = `call-${++calls}`;
  return { id, name: 'Bash', command, output, status: 'ok', errors: [], read: [], edited: [] };
}

function wrote(...words: readonly string[]): ToolCall {
  const { command: _none, output: _same, ...call } = ran('');
  return { ...call, name: 'Edit', edited: ['src/form.ts'], wrote: words };
}

function rule(title: string): Memory {
  const { reason: _reason, ...one } = WEBHOOK;
  return { ...one, kind: 'preference', title, body: '', facts: [], concepts: [], files: [] };
}

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
