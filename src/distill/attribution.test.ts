import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import type { MemoryDraft } from '../core/index.ts';
import { attributed, BY_AGENT, heardIn, isSaid } from './attribution.ts';

const PROMPT = 'dates in UTC ISO strings always';
const TURN = sampleTurn({ prompt: PROMPT, answer: 'The bank export mixes CET and UTC.' });
const BOSS = sampleTurn({
  id: 'turn-0',
  prompt: 'BullMQ or pg-boss for the mail queue?',
  answer: 'pg-boss, it needs no Redis.',
});

function draft(parts: Partial<MemoryDraft>): MemoryDraft {
  return { kind: 'preference', title: '', body: '', facts: [], concepts: [], files: [], ...parts };
}

test('every clause and every name of a text must be the user’s', () => {
  const heard = heardIn(TURN, undefined);
  assert.equal(isSaid('Dates are always UTC ISO strings', heard), true);
  assert.equal(isSaid('Dates are UTC ISO strings, because the bank export mixes CET and UTC', heard), false);
  assert.equal(isSaid('Dates are UTC ISO strings in src/dates.js', heard), false);
  assert.equal(isSaid('Dates are UTC ISO strings with 6 digits', heard), false);
});

test('an agreement includes what was proposed before it, a rule does not', () => {
  const title = 'Use pg-boss for the mail queue';
  assert.equal(isSaid(title, heardIn(sampleTurn({ prompt: "yes, let's go with pg-boss" }), BOSS)), true);
  assert.equal(isSaid(title, heardIn(sampleTurn({ prompt: 'always log pg-boss errors' }), BOSS)), false);
});

test('a title beyond the user’s words becomes the body, labelled as the agent’s', () => {
  const title = 'Dates are UTC ISO strings in src/dates.js';
  const made = attributed(draft({ title }), 'said', PROMPT, heardIn(TURN, undefined), () => 'claimed');
  assert.equal(made.title, 'Dates in UTC ISO strings always');
  assert.equal(made.body, `${BY_AGENT}${title}.`);
  assert.equal(made.evidence, 'said');
});

test('a title beyond words that make none is a claim', () => {
  const turn = sampleTurn({ prompt: 'make it so' });
  const made = attributed(
    draft({ title: 'Dates are UTC ISO strings' }),
    'said',
    turn.prompt,
    heardIn(turn, undefined),
    () => 'claimed',
  );
  assert.equal(made.title, 'Dates are UTC ISO strings');
  assert.equal(made.evidence, 'claimed');
});

test('a reason or a body of the agent is labelled in a memory of the user', () => {
  const parts = {
    title: 'Dates are UTC ISO strings',
    reason: 'the bank export mixes CET and UTC',
    body: 'Always ISO strings. The parser drops seconds.',
  };
  const made = attributed(draft(parts), 'said', PROMPT, heardIn(TURN, undefined), () => 'claimed');
  assert.equal(made.reason, `${BY_AGENT}${parts.reason}`);
  assert.equal(made.body, `Always ISO strings. ${BY_AGENT}The parser drops seconds.`);
  const claim = attributed(draft(parts), 'claimed', '', heardIn(TURN, undefined), () => 'claimed');
  assert.equal(claim.reason, parts.reason);
});
