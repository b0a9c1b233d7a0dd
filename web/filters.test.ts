import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterIn, withFilter } from './filters.ts';

test('a filter is read from the text, quoted or not', () => {
  assert.equal(filterIn('kind:decision tokens', 'kind'), 'decision');
  assert.equal(filterIn('file:"my file.ts" tokens', 'file'), 'my file.ts');
  assert.equal(filterIn('tokens', 'file'), '');
});

test('a filter is set, changed and removed without changing the other words', () => {
  assert.equal(withFilter('refresh tokens', 'kind', 'decision'), 'kind:decision refresh tokens');
  assert.equal(withFilter('kind:issue refresh tokens', 'kind', 'decision'), 'kind:decision refresh tokens');
  assert.equal(withFilter('refresh kind:issue tokens', 'kind', ''), 'refresh tokens');
  assert.equal(withFilter('x', 'file', 'my file.ts'), 'file:"my file.ts" x');
  assert.equal(withFilter('x', 'file', 'a"b'), 'file:ab x');
});
