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

test('a known family covers its versions; settings come first', () => {
  assert.equal(priceOf('claude-haiku-4-5-20251001')?.input, 1);
  assert.equal(priceOf('anthropic/claude-haiku-5-5')?.input, 0.1);
  assert.equal(priceOf('us.anthropic.claude-opus-4-1-20250805-v1:0')?.input, 5);
  assert.equal(priceOf('claude-sonnet-4-5[1m]')?.input, 3);
  assert.equal(priceOf('haiku')?.input, 1);
  assert.equal(priceOf('qwen3'), undefined);
  const own = readPrices(['qwen3=0.25/1.5', 'nonsense', 'claude-haiku-5=9/9']);
  assert.deepEqual(priceOf('qwen3-2026-01-05', own), { input: 0.25, output: 1.5 });
  assert.equal(priceOf('claude-haiku-5-5', own)?.input, 0.1, 'an own price is for the named model only');
  assert.equal(priceOf('claude-haiku-5', own)?.input, 9);
  const usage = { model: 'qwen3', inputTokens: 1_000_000, outputTokens: 2_000_000, requests: 1 };
  assert.equal(usdOf(usage, own), 3.25);
  assert.equal(usdOf({ ...usage, usd: 0.5 }, own), 0.5);
});

test('a model never gets the price of another model whose name it begins with', () => {
  const own = readPrices(['gpt-9=0.1/0.1', 'qwen3=0.25/1.5']);
  for (const model of [
    'gpt-9-pro',
    'gpt-90',
    'qwen3:235b',
    'haiku-clone',
    'opus-x',
    'claude-haiku-55',
    'claude-opus-4-ultra',
    'elsewhere/claude-haiku-5-5',
    'toString',
    '__proto__',
    '',
  ])
    assert.equal(priceOf(model, own), undefined, model);
});

test('a price that is not a number from zero up is no price', () => {
  for (const line of [
    'm=-1/2',
    'm=1/-2',
    'm=NaN/NaN',
    'm=./.',
    'm=1..2/3',
    'm=1',
    'm=/',
    'm=1e9/1',
    'm=Infinity/1',
  ])
    assert.deepEqual(readPrices([line]), {}, line);
  assert.deepEqual(readPrices(['m=0/0']), { m: { input: 0, output: 0 } }, 'the user may say that it is free');
});

test('a reported cost below zero is not believed; the dearer of two named models counts', () => {
  const usage = { model: 'claude-haiku-5', inputTokens: 1_000_000, outputTokens: 0, requests: 1 };
  assert.equal(usdOf({ ...usage, usd: -5 }), 0.1);
  assert.equal(usdOf({ ...usage, usd: Number.NaN }), 0.1);
  assert.equal(usdOf(usage, {}, 'claude-opus-4-5'), 5);
});
