import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextOf, contextsOf } from './hook-context.ts';
import type { Message } from './mock-model.ts';

function requestOf(...messages: Message[]) {
  return { model: 'm', messages };
}

test('contexts are separated inside the one system message of newer clients', () => {
  const content =
    'SessionStart hook additional context: one\n\ntwo\n\nAvailable agent types for the Agent tool:\n- x\n\n' +
    "UserPromptSubmit hook additional context: three\n\nToday's date is 2026-01-01.";
  const request = requestOf({ role: 'user', content: 'hello' }, { role: 'system', content });
  assert.deepEqual(contextsOf(request), [
    { event: 'SessionStart', text: 'one\n\ntwo' },
    { event: 'UserPromptSubmit', text: 'three' },
  ]);
});

test('contexts are found in the reminders older models get', () => {
  const text = '<system-reminder>\nSessionStart hook additional context: one\n</system-reminder>\nhello';
  const request = requestOf({ role: 'user', content: [{ type: 'text', text }] });
  assert.equal(contextOf(request, 'SessionStart'), 'one');
  assert.equal(contextOf(request, 'UserPromptSubmit'), '');
});

test('a person who writes such words is no hook', () => {
  const request = requestOf({ role: 'user', content: 'SessionStart hook additional context: mine' });
  assert.deepEqual(contextsOf(request), []);
});
