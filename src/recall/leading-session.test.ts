import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ABOUT_REFUNDS,
  conversationIndex,
  PROJECT,
  REFUNDS,
  SEATS,
  spokenTurn,
} from '../../test/support/past-conversations.ts';
import type { IndexedTurn } from '../database/index.ts';
import { leadingSession } from './leading-session.ts';
import { FLOOR, LEADING } from './ranking/weights.ts';

const LATER = '7a3619c4-0007-4000-8000-000000000007';

function leading(prompt: string, more: readonly IndexedTurn[] = [], without: readonly string[] = []) {
  const index = conversationIndex(...more);
  const found = leadingSession(index, prompt, { project: PROJECT, without: new Set(without) });
  index.close();
  return found;
}

test('the session that a prompt is about leads', () => {
  const found = leading(ABOUT_REFUNDS);
  assert.equal(found?.session, REFUNDS);
  assert.ok(found.score >= FLOOR.prompt, String(found.score));
  assert.ok(found.covered.includes('refund'), found.covered.join());
});

test('no session leads for chores, general questions and other topics', () => {
  for (const prompt of [
    'run the tests again please',
    'commit this with a short message',
    'what does a harbour fee mean?',
    'The login page shows a blank screen after the update of the certificate.',
    'Please rename the helper and add a test for the new name.',
  ])
    assert.ok((leading(prompt)?.score ?? 0) < FLOOR.prompt, prompt);
});

test('a session that is left out does not lead', () => {
  assert.notEqual(leading(ABOUT_REFUNDS, [], [REFUNDS])?.session, REFUNDS);
});

test('of two sessions that answer the same question the later one leads', () => {
  const later = spokenTurn(
    LATER,
    0,
    '2026-10-30T09:00:00.000Z',
    'About the refund of a cancelled sailing: from now on the passenger keeps a voucher for the harbour fee.',
    'Changed: the refund leaves the harbour fee out and adds a voucher for the missing amount.',
  );
  const found = leading(ABOUT_REFUNDS, [later]);
  assert.equal(found?.session, LATER);
  assert.ok(found.score >= FLOOR.prompt, String(found.score));
});

test('in a long session only the turns up to shortly after the match count', () => {
  const long = Array.from({ length: 40 }, (_, n) =>
    spokenTurn(LATER, n, '2026-10-30T09:00:00.000Z', `Step ${n} of the winter schedule.`, 'Done.'),
  );
  const about = spokenTurn(
    LATER,
    20,
    '2026-10-30T09:00:00.000Z',
    'The seat map flickers when two decks overlap on tablets, the railing is drawn twice.',
    'The railing belongs to both decks. It is drawn with the lower deck only.',
  );
  const turns = [...long.filter(({ id }) => id !== about.id), about];
  const found = leading(
    'On tablets the seat map flickers and the railing of overlapping decks is drawn twice.',
    turns,
    [SEATS],
  );
  assert.equal(found?.session, LATER);
  assert.equal(found.turns.length, LEADING.turns);
  assert.equal(found.turns.at(-1)?.id, `${LATER}#${20 + LEADING.after}`);
});

test('turns of subagents and scheduled tasks do not count', () => {
  const task = {
    ...spokenTurn(LATER, 0, '2026-10-30T09:00:00.000Z', ABOUT_REFUNDS, 'Done.'),
    origin: 'task',
  } as const;
  assert.equal(leading(ABOUT_REFUNDS, [task])?.session, REFUNDS);
});
