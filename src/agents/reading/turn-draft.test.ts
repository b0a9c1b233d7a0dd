import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TurnDraft } from './turn-draft.ts';

const at = '2026-11-18T10:00:00.000Z';

function turnOf(...steps: readonly (string | null)[]) {
  const draft = new TurnDraft({
    id: 'turn',
    agent: 'claude-code',
    session: 's',
    origin: 'person',
    at,
    prompt: 'why is it slow?',
    start: 0,
    end: 1,
  });
  for (const [i, text] of steps.entries())
    if (text === null) draft.call({ id: `call-${i}`, name: 'Read', input: {} });
    else draft.say(text);
  return draft.read(true).turn;
}

test('the report is the text after the last tool call', () => {
  const { answer, report } = turnOf(
    'Let me look.',
    null,
    'Still looking.',
    null,
    'It scans.',
    'Add an index.',
  );
  assert.equal(answer.slice(-(report ?? 0)), 'It scans.\n\nAdd an index.');
});

test('an answer in one piece, or without text at its end, has no report', () => {
  assert.equal(turnOf(null, 'It scans.').report, undefined);
  assert.equal(turnOf('It scans.', 'Add an index.').report, undefined);
  assert.equal(turnOf('Let me look.', null).report, undefined);
});
