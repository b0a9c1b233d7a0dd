import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consentOffer, type ConsentFacts } from './consent.ts';
import { readLogin } from './drivers/billing.ts';

const PACE = { from: 'memory', days: 28, turnsPerDay: 24, tokensPerDay: 61_240, usdPerDay: 0.123 } as const;
const FACTS: ConsentFacts = {
  driver: { name: 'claude', model: 'haiku' },
  billing: { kind: 'money' },
  pace: PACE,
  dailyUsd: 1,
  dailyTokens: 1_000_000,
};

test('with an API key the offer names tokens and money at the user’s pace, and the limit', () => {
  const { cost, sent, without } = consentOffer(FACTS);
  assert.equal(
    cost,
    'It costs money. At your pace (24 turns a day over the last 4 weeks): about 61,000 tokens a day, $0.12 a day, $3.69 a month; never more than $1.00 a day.',
  );
  assert.match(sent, /each turn is redacted and sent once.*Claude \(haiku\) through your own Claude Code/);
  assert.match(without, /^Without one, the small model on this machine keeps/);
});

test('with a plan the offer says that it counts against the plan and names no money', () => {
  const { cost } = consentOffer({ ...FACTS, billing: { kind: 'plan', plan: 'Max' } });
  assert.match(cost, /the Max plan: this costs no extra money, but it counts against the limits of the plan/);
  assert.match(cost, /about 61,000 tokens a day/);
  assert.doesNotMatch(cost, /\$/);
});

test('without history the offer says so and names no number per day', () => {
  const { pace: _, ...facts } = FACTS;
  for (const kind of ['money', 'plan', 'unknown', 'logged-out', 'unpriced'] as const) {
    const { cost } = consentOffer({ ...facts, billing: { kind } });
    assert.match(cost, /There is no history yet/, kind);
    assert.doesNotMatch(cost, /pace/, kind);
  }
});

test('a model on this machine costs nothing', () => {
  const offer = consentOffer({
    ...FACTS,
    driver: { name: 'api', model: 'llama3.2' },
    host: 'localhost:11434',
    billing: { kind: 'free' },
  });
  assert.match(offer.cost, /runs on this machine and costs nothing/);
  assert.match(offer.sent, /llama3\.2 at localhost:11434/);
});

test('an unknown login names both ways to pay', () => {
  const { cost } = consentOffer({ ...FACTS, billing: { kind: 'unknown' } });
  assert.match(cost, /With an API key it costs money, with a plan it counts against the limits of the plan/);
  assert.match(cost, /with an API key \$0\.12 a day/);
});

test('the offer says when no language model can be used: none is set up, or the client is not logged in', () => {
  assert.equal(consentOffer(FACTS).notReady, undefined);
  assert.match(
    consentOffer(FACTS).short,
    /^It finds more than .* Claude \(haiku\) through your own Claude Code\.$/,
  );
  const out = consentOffer({ ...FACTS, billing: { kind: 'logged-out' } });
  assert.equal(out.notReady, 'Claude Code is not logged in');
  const { driver: _, ...none } = FACTS;
  assert.equal(consentOffer(none).notReady, 'none is set up on this machine');
});

test('readLogin reads what the client prints about its login', () => {
  const login = (status: object) => readLogin(JSON.stringify(status));
  const first = { apiProvider: 'firstParty' };
  assert.deepEqual(login({ ...first, loggedIn: false, authMethod: 'none' }), { kind: 'logged-out' });
  assert.deepEqual(login({ ...first, loggedIn: true, authMethod: 'api_key' }), { kind: 'money' });
  assert.deepEqual(login({ ...first, loggedIn: true, authMethod: 'oauth_token' }), { kind: 'plan' });
  assert.deepEqual(login({ ...first, loggedIn: true, authMethod: 'claude.ai', subscriptionType: 'max' }), {
    kind: 'plan',
    plan: 'Max',
  });
  assert.deepEqual(login({ loggedIn: true, authMethod: 'third_party', apiProvider: 'bedrock' }), {
    kind: 'money',
  });
  assert.deepEqual(login({}), { kind: 'unknown' });
  assert.deepEqual(readLogin('error: unknown command'), { kind: 'unknown' });
});
