import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairsOf, together } from './_together.ts';

const rare = (): number => 1;
const shared = (one: string, other: string, rarity = rare): number =>
  together(pairsOf(one), pairsOf(other), rarity);

test('the same words beside each other count, the same words far apart do not', () => {
  const prompt = 'turn the checkout on with a feature flag';
  assert.ok(shared(prompt, 'Feature flags come from a table') > 0);
  assert.equal(shared(prompt, 'The flag in the harbour is no concern of that new feature'), 0);
});

test('an identifier stands beside its parts written as words', () => {
  assert.ok(shared('where is the auth token kept', 'useAuthToken replaces three copies') > 0);
});

test('words of every coding session, and common ones, say less together', () => {
  const text = 'prepared statement';
  assert.ok(shared('run tests', 'run tests') < shared(text, text) / 5);
  assert.ok(shared(text, text, () => 0.5) < shared(text, text));
});

test('two characters in common are no pair in Chinese, a word of four is', () => {
  assert.equal(shared('验证码', '验证码'), 0);
  assert.ok(shared('登录验证码过期', '登录验证码五分钟后过期') > 0);
});
