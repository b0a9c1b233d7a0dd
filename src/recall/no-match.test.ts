import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unsearchable } from './no-match.ts';

test('a query without searchable words says why it finds nothing', () => {
  assert.match(unsearchable('- from') ?? '', /^Every word of “- from” is too common/);
  for (const text of ['***', '-', '"', '""', '()', '…'])
    assert.match(unsearchable(text) ?? '', /no word to search for/);
  for (const text of ['', 'refresh', 'NEAR', '会话']) assert.equal(unsearchable(text), undefined);
});
