import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compared, contains, isAlike, says } from './alike.ts';

const areAlike = (a: string, b: string): boolean => isAlike(compared(a), compared(b));

test('a text says what another one says in the same words', () => {
  for (const [text, other] of [
    ['Money is stored as integer cents', 'Money is stored as integer cents.'],
    ['Always use pnpm in this repository', 'In this repository, we always use pnpm'],
    ['所有时间以 UTC 存储', '所有时间以 UTC 存储。'],
    ['Anything', ''],
  ] as const)
    assert.ok(says(text, other), `${text} / ${other}`);
  assert.ok(!says('Use pnpm', 'Use pnpm, because its lock file merges'));
});

test('another number, name or negation is another statement', () => {
  for (const [text, other] of [
    ['Retry uploads at most 7 times before they fail', 'Retry uploads at most 5 times before they fail'],
    ['The nightly backup goes to host db1', 'The nightly backup goes to host web2'],
    ['Use tabs for indentation here', 'Do not use tabs for indentation here'],
    ['Use Redis for sessions', 'Use Redis for the job queue'],
  ] as const) {
    assert.equal(says(text, other), false, other);
    assert.equal(areAlike(text, other), false, other);
  }
});

test('two texts are alike if one words the matter of the other', () => {
  assert.ok(areAlike('Delete checkpoints older than 30 days', 'Checkpoints older than 30 days are deleted'));
  assert.ok(!areAlike('Show the progress of an import', 'Two imports at once deadlock'));
});

test('a text contains another one regardless of case and punctuation', () => {
  assert.ok(contains('We always use pnpm here. Ask.', 'always use pnpm here'));
  assert.ok(!contains('Users log in twice', 'user'));
});
