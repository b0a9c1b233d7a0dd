import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchedWords } from './matched.ts';

test('words are given as they stand in the text, whatever form they were asked in', () => {
  assert.deepEqual(matchedWords('rotating tokens', 'Token rotation: the token rotates.'), [
    'token',
    'rotation',
    'rotates',
  ]);
});

test('identifiers, paths and CJK are found by their parts', () => {
  assert.deepEqual(matchedWords('refresh', 'useRefreshToken in src/refresh.ts'), [
    'userefreshtoken',
    'src/refresh.ts',
  ]);
  assert.deepEqual(matchedWords('刷新', '令牌刷新策略'), ['刷新']);
});

test('stop words and no words match nothing', () => {
  assert.deepEqual(matchedWords('the of', 'the house of'), []);
  assert.deepEqual(matchedWords('', 'anything'), []);
});
