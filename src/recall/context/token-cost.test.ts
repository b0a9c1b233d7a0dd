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

test('a word is never broken, also among wide characters and in a path', () => {
  for (const text of [
    'See aVeryLongIdentifierThatTakesMoreThanHalfOfTheRoom and the rest of it',
    '会话存储使用 Redis 哈希并且 refresh 每次使用时rotation轮换令牌',
    'src/authentication/refresh-tokens/rotation-policy.ts is the file',
  ])
    for (let tokens = 6; tokens < 20; tokens++) {
      const kept = cutToTokens(text, tokens).replace(/…$/, '');
      const next = text.slice(kept.length, kept.length + 1);
      assert.ok(!(/[a-z]$/i.test(kept) && /^[a-z]/i.test(next)), `${kept}|${next}`);
    }
});

test('a cut never leaves half a character', () => {
  for (let tokens = 1; tokens < 6; tokens++)
    assert.ok(cutToTokens('😀😀😀😀😀😀😀😀😀😀😀😀', tokens).isWellFormed());
});
