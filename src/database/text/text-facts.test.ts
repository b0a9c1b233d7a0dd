import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsReader } from './text-facts.ts';

test('occurrences of a token are counted with the weight of their column', () => {
  const { counts, length } = factsReader(
    ['auth', 'token', 'none'],
    [2.5, 1, 1],
  )('auth token\nthe auth auth\n');
  assert.deepEqual(
    [...counts],
    [
      ['auth', 4.5],
      ['token', 2.5],
    ],
  );
  assert.equal(length, 6);
});

test('a token is not found inside another, nor across columns', () => {
  const { counts } = factsReader(['auth', '認証'], [1, 1])('reauth authx au\nth 認証');
  assert.deepEqual([...counts], [['認証', 1]]);
});
