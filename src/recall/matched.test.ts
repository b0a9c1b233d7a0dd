import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchedWords } from './matched.ts';

test('matchedWords returns the forms of the text, not of the query', () => {
  assert.deepEqual(matchedWords('rotating tokens', 'Token rotation: the token rotates.'), [
    'token',
    'rotation',
    'rotates',
  ]);
});

test('identifiers, paths and CJK match by their parts', () => {
  assert.deepEqual(matchedWords('refresh', 'useRefreshToken in src/refresh.ts'), [
    'userefreshtoken',
    'src/refresh.ts',
  ]);
  assert.deepEqual(matchedWords('刷新', '令牌刷新策略'), ['刷新']);
});

test('stop words and an empty query match nothing', () => {
  assert.deepEqual(matchedWords('the of', 'the house of'), []);
  assert.deepEqual(matchedWords('', 'anything'), []);
});
