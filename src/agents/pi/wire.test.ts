import assert from 'node:assert/strict';
import { test } from 'node:test';
import { piWire } from './wire.ts';

test('an event of the extension is an event of ours', () => {
  const input = { session_id: 's', cwd: '/app', prompt: 'hi' };
  assert.deepEqual(piWire.toInput('UserPromptSubmit', input), {
    ...input,
    hook_event_name: 'UserPromptSubmit',
  });
  const answer = { systemMessage: 'shown' };
  assert.equal(piWire.toOutput('Stop', answer), answer);
});

test('a read asks about its file', () => {
  const read = { session_id: 's', cwd: '/app', file: 'a.ts', call: 'c1' };
  assert.deepEqual(piWire.toQuestion?.('PostToolUse', read), {
    session: 's',
    cwd: '/app',
    files: ['a.ts'],
    call: 'c1',
  });
  for (const missing of [
    { ...read, file: '' },
    { ...read, session_id: undefined },
  ])
    assert.equal(piWire.toQuestion?.('PostToolUse', missing), undefined);
  assert.equal(piWire.toQuestion?.('PreToolUse', read), undefined);
});
