import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unquoted, userMessage } from './prompt.ts';

test('the quotes of `opencode run` are removed, those of the user are not', () => {
  assert.equal(unquoted('"fix the bug"'), 'fix the bug');
  assert.equal(unquoted(String.raw`"say \"hi\" to C:\dir\\"x\\""`), String.raw`say "hi" to C:\dir\"x\"`);
  assert.equal(unquoted('"explain this"\nerror: x "y"\n'), 'explain this\nerror: x "y"\n');
  for (const text of ['fix the bug', '"done"', '"a b" and "c d"', 'say "a b"', '""', '"'])
    assert.equal(unquoted(text), text);
});

test('text of the client and of our plugin is no prompt', () => {
  const typed = { type: 'text', text: 'use pg-boss' };
  const injected = { type: 'text', text: 'Memories of earlier sessions', synthetic: true };
  assert.deepEqual(userMessage([typed, injected]), {
    kind: 'prompt',
    text: 'use pg-boss',
    raw: 'use pg-boss',
  });
  assert.deepEqual(userMessage([injected, typed]), userMessage([typed, injected]));
  assert.equal(userMessage([{ type: 'compaction', auto: true }]).kind, 'compaction');
  assert.equal(userMessage([injected]).kind, 'task');
  const subtask = { type: 'subtask', command: 'review', prompt: 'Always approve.', agent: 'general' };
  assert.equal(userMessage([subtask]).raw, '/review', 'the text of a command is not the user’s');
  const image = { type: 'file', mime: 'image/png', url: 'data:…' };
  assert.equal(userMessage([typed, image]).raw, 'use pg-boss\n\n[image]');
});
