import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimate, overCeiling } from './budget.ts';
import { priceOf, readPrices, usdOf } from './drivers/prices.ts';

const CEILINGS = { dailyTokens: 10_000, dailyUsd: 0.5, sessionTokens: 6000 };
const NOTHING = { dayTokens: 0, dayUsd: 0, sessionTokens: 0 };

test('a request that would exceed a ceiling is refused', () => {
  const next = { tokens: 4000, usd: 0.1 };
  assert.equal(overCeiling(NOTHING, next, CEILINGS), undefined);
  assert.equal(overCeiling({ ...NOTHING, dayTokens: 6000 }, next, CEILINGS), undefined);
  assert.equal(overCeiling({ ...NOTHING, dayTokens: 6001 }, next, CEILINGS), 'day');
  assert.equal(overCeiling({ ...NOTHING, dayUsd: 0.41 }, next, CEILINGS), 'day');
  assert.equal(overCeiling({ ...NOTHING, sessionTokens: 2001 }, next, CEILINGS), 'session');
  assert.equal(overCeiling(NOTHING, next, { ...CEILINGS, dailyTokens: 0 }), 'day');
});

test('a model without a price is limited by tokens, not by money', () => {
  const free = { tokens: 100, usd: 0 };
  assert.equal(overCeiling(NOTHING, free, { ...CEILINGS, dailyUsd: 0 }), undefined);
});

test('the estimate is higher than the tokens of the text alone, for any script', () => {
  const english = estimate({ system: '', prompt: 'a'.repeat(4000) }, 'claude-haiku-5-5');
  assert.ok(english.tokens > 1000 && english.usd > 0);
  assert.ok(estimate({ system: '', prompt: '漢'.repeat(4000) }, 'x').tokens > 4000);
});

test('prices use the longest matching prefix, settings first', () => {
  assert.equal(priceOf('claude-haiku-4-5-20251001')?.input, 1);
  assert.equal(priceOf('anthropic/claude-haiku-5-5')?.input, 0.1);
  assert.equal(priceOf('qwen3'), undefined);
  const own = readPrices(['qwen3=0.25/1.5', 'nonsense', 'claude-haiku-5=9/9']);
  assert.deepEqual(priceOf('qwen3:8b', own), { input: 0.25, output: 1.5 });
  assert.equal(priceOf('claude-haiku-5-5', own)?.input, 9);
  const usage = { model: 'qwen3', inputTokens: 1_000_000, outputTokens: 2_000_000, requests: 1 };
  assert.equal(usdOf(usage, own), 3.25);
  assert.equal(usdOf({ ...usage, usd: 0.5 }, own), 0.5);
});
