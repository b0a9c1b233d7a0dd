import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../../../test/support/plain-memory.ts';
import type { Memory, MemoryKind } from '../../core/index.ts';
import { isSame } from './same.ts';

type Pair = readonly [MemoryKind, string, string, Partial<Memory>?, Partial<Memory>?];

const SAME: readonly Pair[] = [
  ['decision', 'Refresh tokens rotate on every use', 'Refresh tokens rotate on each use'],
  ['decision', 'Use pnpm for installs', 'use `pnpm` for installs.'],
  ['preference', 'Always run the linter before you commit', 'Run the linter before every commit'],
  ['preference', '提交之前总是先运行代码检查工具', '提交之前总是要运行代码检查工具'],
  ['decision', 'リフレッシュトークンは毎回更新する', 'リフレッシュトークンは毎回必ず更新する'],
  [
    'issue',
    'The logout button is broken on Safari',
    'Logout button broken on Safari',
    { body: 'Clicking it does nothing.' },
    { body: 'Clicking does nothing.' },
  ],
];

const DIFFERENT: readonly Pair[] = [
  ['decision', 'Use pnpm for installs', 'Use vitest for tests'],
  ['decision', 'Access tokens live 15 minutes', 'Access tokens live 30 minutes'],
  ['preference', 'Always squash commits before merging', 'Never squash commits before merging'],
  [
    'bugfix',
    'Fixed the login test',
    'Fixed the login test',
    { body: 'the clock was local' },
    { body: 'a race in the fixture of the session store' },
  ],
  [
    'decision',
    'Cache responses in the gateway',
    'Cache responses in the gateway',
    { files: ['a/gateway.ts'], body: 'one' },
    { files: ['b/gateway.ts'], body: 'two' },
  ],
  ['decision', 'Redis', 'Postgres'],
];

test('memories that say the same in other words are the same', () => {
  for (const [kind, a, b, x, y] of SAME)
    assert.ok(isSame(statement(kind, a, x), statement(kind, b, y)), `${a} / ${b}`);
});

test('memories that differ in number, negation, place or subject are not the same', () => {
  for (const [kind, a, b, x, y] of DIFFERENT)
    assert.ok(!isSame(statement(kind, a, x), statement(kind, b, y)), `${a} / ${b}`);
});

test('a decision and a preference with the same words are the same, a bug is not', () => {
  const title = 'Money is kept in cents';
  assert.ok(isSame(statement('decision', title), statement('preference', title)));
  assert.ok(!isSame(statement('decision', title), statement('bugfix', title)));
});
