import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutToTokens, tokenCost } from './render.ts';

test('four Latin characters are a token, one CJK character is one', () => {
  assert.equal(tokenCost('abcdefgh'), 2);
  assert.equal(tokenCost('会话存储'), 4);
  assert.equal(tokenCost(''), 0);
});

test('a text is cut at a word and within its tokens', () => {
  const text = 'The mobile app sends two refresh requests at once after a cold start';
  assert.equal(cutToTokens(text, 100), text);
  assert.equal(cutToTokens(text, 8), 'The mobile app sends two…');
  for (const tokens of [3, 5, 9, 13]) assert.ok(tokenCost(cutToTokens(text, tokens)) <= tokens);
  for (const tokens of [3, 5, 9])
    assert.ok(tokenCost(cutToTokens('会话存储使用哈希会话存储使用哈希', tokens)) <= tokens);
});

test('a cut never leaves half a character', () => {
  for (let tokens = 1; tokens < 6; tokens++)
    assert.ok(cutToTokens('😀😀😀😀😀😀😀😀😀😀😀😀', tokens).isWellFormed());
});
