import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookInput, SpooledEvent } from '../../core/index.ts';
import { STOP } from '../../recall/index.ts';
import { NO_TALK, withEvent } from './_talk.ts';

const event = (input: Omit<HookInput, 'session_id'>): SpooledEvent => ({
  id: 'e',
  at: '2026-11-15T12:00:00.000Z',
  agent: 'claude-code',
  input: { session_id: 's', ...input },
});
const prompt = (text: string) => event({ hook_event_name: 'UserPromptSubmit', prompt: text });

test('the latest prompts and the last answer are kept, within bounds', () => {
  let talk = withEvent(
    NO_TALK,
    event({ hook_event_name: 'Stop', last_assistant_message: 'x'.repeat(99_999) }),
  );
  assert.equal(talk.answer.length, STOP.talkChars);
  for (const text of ['one', 'two', 'three', 'four']) talk = withEvent(talk, prompt(text));
  assert.deepEqual(talk.prompts, ['two', 'three', 'four']);
  assert.equal(withEvent(talk, prompt('y'.repeat(99_999))).prompts.at(-1)?.length, STOP.talkChars);
});

test('prompts that the client wrote are no orders of the user', () => {
  const talk = withEvent(NO_TALK, prompt('Fix the login'));
  assert.equal(withEvent(talk, prompt('<task-notification>done</task-notification>')), talk);
  assert.equal(withEvent(talk, prompt('')), talk);
});
