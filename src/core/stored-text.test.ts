import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedText } from './stored-text.ts';
import type { Turn } from './turn.ts';

const turn = (prompt: string, answer: string): Turn => ({
  id: 't',
  agent: 'claude-code',
  session: 's',
  origin: 'person',
  startedAt: '2026-11-15T10:00:00.000Z',
  endedAt: '2026-11-15T10:00:00.000Z',
  outcome: 'answered',
  prompt,
  answer,
  tools: [],
  messages: [],
});

test('a short turn is stored whole', () => {
  assert.deepEqual(storedText(turn('why?', 'because')), {
    user: 'why?',
    assistant: 'because',
    userLength: 4,
    assistantLength: 7,
    truncated: false,
  });
});

test('what the client wrote itself is filtered out', () => {
  const prompt =
    '<command-name>/clear</command-name><local-command-stdout>See ya!</local-command-stdout>real';
  const stored = storedText(
    turn(prompt, 'done<system-reminder>x</system-reminder>\n\nNo response requested.'),
  );
  assert.deepEqual([stored.user, stored.assistant], ['real', 'done']);
});

test('long text is cut to 2,000 and 4,000 characters and says how long it was', () => {
  const stored = storedText(turn('u'.repeat(2001), `${'a'.repeat(3000)}\n\n`.repeat(8)));
  assert.equal(stored.user, `${'u'.repeat(2000)}\n[... truncated, original: 2001 chars]`);
  assert.equal(stored.assistant.indexOf('\n[... truncated, original: 24014 chars]'), 4000);
  assert.deepEqual([stored.userLength, stored.assistantLength, stored.truncated], [2001, 24_014, true]);
});

test('a cut never halves a character', () => {
  const stored = storedText(turn(`u${'🌊'.repeat(1500)}`, ''));
  assert.ok(stored.user.isWellFormed());
});
