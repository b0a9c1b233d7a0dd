import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SdeTask } from './_sde-data.ts';
import { blocksIn, bm25, decidingTurn, judge, turnText, weightsIn } from './_sde-score.ts';

const POLICY = 'retry exactly 3 times, wait 40 seconds';
const EARLY = {
  session: 'early',
  turns: [
    { prompt: 'The client gives up at once.', answer: 'It never retries.' },
    { prompt: 'Retry exactly 5 times and wait 40 seconds.', answer: 'Settled: 5 retries.' },
  ],
};
const LATE = {
  session: 'late',
  turns: [
    { prompt: 'Five retries are too many.', answer: 'How many then?' },
    { prompt: 'Retry exactly 3 times, wait 40 seconds.', answer: 'Settled.' },
    { prompt: 'Thanks.', answer: '' },
  ],
};
const TASK: SdeTask = { id: 'x', source: 'amended', prompt: '', policy: POLICY, chats: [EARLY, LATE] };
const OTHERS = ['Draw the logo again.', 'The parser reads tabs.', 'Add Norwegian to the menu.'];
const weights = weightsIn([...OTHERS, ...[...EARLY.turns, ...LATE.turns].map(turnText)]);

test('the deciding turn has the most words of the policy', () => {
  assert.equal(decidingTurn(LATE.turns, POLICY, weights), 1);
});

test('a decision reaches the agent only by text of the chat in force that states it', () => {
  const reached = (session: string, text: string) => judge(TASK, [{ session, text }], weights).reached;
  assert.ok(reached('late', 'Retry exactly 3 times, wait 40 seconds.'));
  assert.ok(!reached('late', 'Five retries are too many.'));
  assert.ok(!reached('decoy', 'Retry exactly 3 times, wait 40 seconds.'));
});

test('a replaced decision counts as presented, also beside the one in force', () => {
  const old = { session: 'early', text: 'Retry exactly 5 times and wait 40 seconds.' };
  const current = { session: 'late', text: LATE.turns[1]?.prompt ?? '' };
  assert.deepEqual(judge(TASK, [current], weights), { reached: true, replaced: false });
  assert.deepEqual(judge(TASK, [current, old], weights), { reached: true, replaced: true });
});

test('blocks belong to the session that they name', () => {
  const sessionIn = (part: string) => /s\d/.exec(part)?.[0];
  const text = 'Intro\n## Rules\n- one (s1)\n- two\n- three (s2)';
  assert.deepEqual(
    blocksIn(text, 'items', sessionIn).map(({ session }) => session),
    ['s1', 's2'],
  );
  assert.equal(blocksIn('## A s1\n- fact\n## B', 'headings', sessionIn)[0]?.text, '## A s1\n- fact');
});

test('plain BM25 ranks the text with the rare word first', () => {
  assert.equal(bm25('the Norwegian menu', OTHERS, weightsIn(OTHERS))[0], 2);
});
