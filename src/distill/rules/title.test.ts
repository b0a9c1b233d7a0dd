import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitReason, splitTail, titleOf } from './title.ts';

test('a title has no closing mark, no chat at its end and a capital unless it begins with a name', () => {
  assert.equal(titleOf('use pnpm in this repo, please!'), 'Use pnpm in this repo');
  assert.equal(titleOf('waitForTimeout is banned'), 'waitForTimeout is banned');
  assert.equal(titleOf('yes'), undefined);
  assert.equal(titleOf('金额一律用分存整数。'), '金额一律用分存整数');
});

test('a long title is cut at a mark outside of names', () => {
  const said = `Moved the reader of \`rows, cells and ${'columns '.repeat(6)}\` into its own folder; ${'the callers import it '.repeat(6)}`;
  const title = titleOf(said) ?? '';
  assert.match(title, /own folder$/);
  assert.ok(title.length <= 140);
});

test('a long title without a mark ends with a whole phrase', () => {
  const said = `Moved the reader of every table and its cells into one folder of its own ${'next to the callers '.repeat(3)}and the \`row writer of all tables\``;
  const title = titleOf(said) ?? '';
  assert.match(title, /callers…$/);
});

test('a reason and a second thought are split off', () => {
  assert.deepEqual(splitReason('use pnpm because it is small'), { what: 'use pnpm', reason: 'it is small' });
  assert.deepEqual(splitTail('no redis, ops gives us no box'), {
    what: 'no redis',
    reason: 'ops gives us no box',
  });
  assert.deepEqual(splitTail('always use pnpm, never npm'), { what: 'always use pnpm, never npm' });
});
