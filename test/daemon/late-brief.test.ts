/** An agent that drops the answer to a SessionStart after a summary gets the brief with the next prompt, once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { uuid } from '../support/synthetic-transcript.ts';

test('the brief after a summary comes with the next prompt', async (t) => {
  const machine = Machine.open(t, { TIDEMARK_ANSWER_S: '40' });
  await machine.up();
  const { code, stderr } = await machine.cli(['remember', 'Deploy on Tuesdays']);
  assert.equal(code, 0, stderr);
  const session_id = uuid('gemini');
  const hook = async (name: 'SessionStart' | 'UserPromptSubmit', fields: object): Promise<string> =>
    (await machine.hook(name, { session_id, ...fields }, { agent: 'gemini' })).stdout;

  const start = await hook('SessionStart', { source: 'startup' });
  assert.match(start, /"hookEventName":"SessionStart".*Deploy on Tuesdays/);
  const prompt = { hook_event_name: 'BeforeAgent', prompt: 'Hello there' };
  assert.doesNotMatch(await hook('UserPromptSubmit', prompt), /Tuesdays/);

  const summary = { hook_event_name: 'PreCompress', trigger: 'manual' };
  assert.doesNotMatch(await hook('SessionStart', summary), /additionalContext/);
  assert.match(await hook('UserPromptSubmit', prompt), /"hookEventName":"BeforeAgent".*Deploy on Tuesdays/);
  assert.doesNotMatch(await hook('UserPromptSubmit', prompt), /Tuesdays/, 'only once');

  assert.equal(await hook('SessionStart', { hook_event_name: 'PreCompress', trigger: 'auto' }), '');
  assert.doesNotMatch(await hook('UserPromptSubmit', prompt), /Tuesdays/, 'a summary that may not happen');
});
