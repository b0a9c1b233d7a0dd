import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bash, edit, sampleTurn } from '../../test/support/sample-turn.ts';
import { workLine } from './work-log.ts';

test('a line says what was asked and done, with files and commit', () => {
  const turn = sampleTurn({
    prompt: 'Move the queue to pg-boss',
    answer: 'The queue uses pg-boss now.',
    tools: [
      edit('/home/ada/engine/src/queue.ts'),
      { ...bash('git commit -am "Move the queue"'), output: '[main 3f2a1bc] Move the queue' },
    ],
  });
  assert.equal(
    workLine(turn)?.text,
    'Asked: Move the queue to pg-boss. Done: The queue uses pg-boss now. Files: src/queue.ts. Commit: 3f2a1bc Move the queue.',
  );
});

test('files outside the project are not named: the journal may be committed', () => {
  const turn = sampleTurn({ prompt: 'Fix my shell', tools: [edit('/home/ada/.zshrc')] });
  assert.equal(workLine(turn, '/home/ada/engine')?.text, 'Asked: Fix my shell.');
});

test('control characters and invisible ones are left out: a terminal may show the journal', () => {
  const turn = sampleTurn({
    prompt: 'Use\u0000 the \u001b[31mred\u009b1m\u202e bucket\ud800',
    answer: 'It uses\u0007 the red\u200b bucket now.',
  });
  assert.equal(workLine(turn)?.text, 'Asked: Use the red bucket\ufffd. Done: It uses the red bucket now.');
});
