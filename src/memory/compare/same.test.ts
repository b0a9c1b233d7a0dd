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
  ['decision', 'Phase 2 of the importer starts in May', 'Phase 2 of the importer starts in May!'],
  ['decision', 'Hold a slot for 12 minutes instead of 15', 'Hold a slot for 12 minutes'],
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
  [
    'decision',
    'Phase 1 of the importer is done by the platform team',
    'Phase 2 of the importer is done by the platform team',
  ],
  [
    'discovery',
    'The cache-3 store keeps entries of deleted users',
    'The cache-18 store keeps entries of deleted users',
  ],
  [
    'decision',
    'The host db1 runs the nightly backup of Postgres',
    'The host db2 runs the nightly backup of Postgres',
  ],
  [
    'decision',
    'Use Redis for the session store of the public gateway',
    'Use Postgres for the session store of the public gateway',
  ],
  [
    'pattern',
    'Validate `user_id` in the handler before the query runs',
    'Validate `order_id` in the handler before the query runs',
  ],
  [
    'preference',
    'Exports for the warehouse are written as CSV files',
    'Exports for the warehouse are written as XLSX files',
  ],
  [
    'decision',
    'Input delay is 1 frame on the handheld build',
    'Input delay is 2 frames on the handheld build',
  ],
  [
    'issue',
    'Ticket 112 waits for an answer of the legal team',
    'Ticket 113 waits for an answer of the legal team',
  ],
  [
    'decision',
    'The cache of the staging cluster keeps entries',
    'The cache of the production cluster keeps entries',
  ],
  ['decision', '第1阶段由平台团队负责导入模块', '第2阶段由平台团队负责导入模块'],
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
