import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HookName } from '../../core/index.ts';
import { isStartDropped } from '../wire/index.ts';
import type { HookFields } from '../wire/wire.ts';
import { geminiWire } from './wire.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/agents/gemini/hooks');
const hook = (name: string): HookFields => JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'));
const event = (name: HookName, fixture: string): HookFields => {
  const fields = geminiWire.toInput(name, hook(fixture));
  assert.ok(typeof fields !== 'string', String(fields));
  return fields;
};

test('a prompt comes without the context that the client put before it', () => {
  const headless = event('UserPromptSubmit', 'BeforeAgent.headless');
  assert.equal(headless['hook_event_name'], 'UserPromptSubmit');
  assert.match(String(headless['prompt']), /^edit it \[\[think/);
  assert.equal(event('UserPromptSubmit', 'BeforeAgent.interactive')['prompt'], 'tui one [[say answer one]]');
});

test('the end of a turn carries no answer, because the transcript has it', () => {
  for (const name of ['AfterAgent', 'AfterAgent.cancelled']) {
    const stop = event('Stop', name);
    assert.deepEqual([stop['hook_event_name'], 'prompt_response' in stop], ['Stop', false]);
    assert.doesNotMatch(String(stop['prompt']), /hook_context/);
  }
});

test('a session starts, is resumed and ends with the fields of ours', () => {
  assert.deepEqual(event('SessionStart', 'SessionStart.resume'), {
    ...hook('SessionStart.resume'),
    source: 'resume',
  });
  assert.equal(event('SessionEnd', 'SessionEnd')['reason'], 'exit');
});

test('a summary that the user orders starts the context again; the one before every step does not', () => {
  const start = event('SessionStart', 'PreCompress.manual');
  assert.deepEqual([start['hook_event_name'], start['source']], ['SessionStart', 'compact']);
  assert.equal(typeof geminiWire.toInput('SessionStart', hook('PreCompress.auto')), 'string');
  assert.deepEqual([isStartDropped('gemini', 'compact'), isStartDropped('gemini', 'startup')], [true, false]);
});

test('only a read asks about a file', () => {
  assert.deepEqual(geminiWire.toQuestion?.('PostToolUse', hook('AfterTool.read_file')), {
    session: '4f16afe4-9bdd-416f-b371-b82600c68205',
    cwd: '/home/dev/app',
    files: ['a.ts'],
  });
  assert.equal(geminiWire.toQuestion?.('PostToolUse', hook('AfterTool.write_file')), undefined);
  assert.equal(geminiWire.toQuestion?.('PreToolUse', hook('AfterTool.read_file')), undefined);
});

test('an answer has the name of the client for the event', () => {
  const answer = {
    systemMessage: 'shown',
    hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'known' },
  };
  assert.deepEqual(geminiWire.toOutput('UserPromptSubmit', answer), {
    systemMessage: 'shown',
    hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'known' },
  });
  assert.deepEqual(geminiWire.toOutput('Stop', answer), { systemMessage: 'shown' });
  assert.equal(geminiWire.toOutput('Stop', {}), undefined);
});
