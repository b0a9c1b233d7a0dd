/** Hook inputs that Qwen Code 0.24.4 sent. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { wireOf, type HookFields } from '../wire/index.ts';
import { qwenWire } from './wire.ts';

const HOOKS = join(import.meta.dirname, '../../../test/fixtures/agents/qwen/hooks');
const recorded = (name: string): HookFields =>
  JSON.parse(readFileSync(join(HOOKS, `${name}.json`), 'utf8')) as HookFields;

test('events of a session have our fields', () => {
  const start = recorded('SessionStart.startup');
  assert.deepEqual(qwenWire.toInput('SessionStart', start), start);
  const stop = qwenWire.toInput('Stop', recorded('Stop')) as HookFields;
  assert.equal(stop['last_assistant_message'], 'written and checked');
});

test('a prompt is what the user typed, and the empty ones after tool calls are none', () => {
  const typed = { ...recorded('UserPromptSubmit'), submitted_prompt: '/tellme it', prompt: 'Say: it' };
  assert.equal((qwenWire.toInput('UserPromptSubmit', typed) as HookFields)['prompt'], '/tellme it');
  const { submitted_prompt: _, ...headless } = typed;
  const prompt = '/tidemark:search\n\nSearch the memory of earlier sessions';
  const named = qwenWire.toInput('UserPromptSubmit', { ...headless, prompt }) as HookFields;
  assert.equal(named['prompt'], '/tidemark:search');
  assert.equal(typeof qwenWire.toInput('UserPromptSubmit', recorded('UserPromptSubmit.midturn')), 'string');
});

test('only a read is a question', () => {
  const call = recorded('PostToolUse.write_file');
  const read = { ...call, tool_name: 'read_file', tool_input: { file_path: 'jobs.ts' } };
  assert.deepEqual(qwenWire.toQuestion?.('PostToolUse', read), {
    session: '27fa6c0a-08fc-4bd8-87b1-f19eba3e6615',
    cwd: '/tmp/w/app',
    files: ['jobs.ts'],
    call: 'call_332247520e64ba32',
  });
  assert.equal(qwenWire.toQuestion?.('PostToolUse', call), undefined);
  assert.equal(qwenWire.toQuestion?.('PreToolUse', recorded('PreToolUse')), undefined);
});

test('input of hooks that name no agent is recognised', () => {
  for (const name of readdirSync(HOOKS))
    assert.equal(wireOf('', recorded(name.replace(/\.json$/, '')))?.agent, 'qwen', name);
});
