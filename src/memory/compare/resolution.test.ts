import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../../../test/support/plain-memory.ts';
import type { Memory } from '../../core/index.ts';
import { resolves } from './resolution.ts';

type Pair = readonly [issue: string, fix: string, more?: Partial<Memory>];

const RESOLVED: readonly Pair[] = [
  ['The cache-3 store keeps entries of deleted users', 'The cache-3 store drops entries of deleted users'],
  ['Uploads to shard-2 time out after a minute', 'Uploads to shard-2 no longer time out after a minute'],
  ['The waitlist promotion test is flaky', 'Fixed the flaky waitlist promotion test'],
  [
    'Ticket 112: logout is broken on Safari',
    'Logout on Safari is not broken any more',
    { facts: ['closes #112'] },
  ],
  ['Invoices are rounded twice on staging', 'Invoices on staging are not rounded twice any more'],
];

const LEFT_OPEN: readonly Pair[] = [
  ['The cache-3 store keeps entries of deleted users', 'The cache-18 store drops entries of deleted users'],
  [
    'The cache-3 store keeps entries of deleted users',
    'The store of the cache drops entries of deleted users',
  ],
  ['Uploads to shard-2 time out after a minute', 'Uploads to shard-1 no longer time out after a minute'],
  ['Step 3 of the runbook fails without a token', 'Step 4 of the runbook no longer fails without a token'],
  ['Ticket 112: logout is broken on Safari', 'Ticket 113: logout is no longer broken on Safari'],
  ['Invoices are rounded twice on staging', 'Invoices in production are not rounded twice any more'],
  ['The waitlist promotion test is flaky', 'Fixed the flaky import test'],
];

const holds = ([issue, fix, more]: Pair): boolean =>
  resolves(statement('bugfix', fix, more, 1), statement('issue', issue));

test('a fix of the same thing resolves an issue', () => {
  assert.deepEqual(
    RESOLVED.filter((pair) => !holds(pair)),
    [],
  );
});

test('a fix of another thing leaves an issue open', () => {
  assert.deepEqual(LEFT_OPEN.filter(holds), []);
});
