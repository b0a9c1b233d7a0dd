import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../../../test/support/plain-memory.ts';
import { contradicts } from './contradiction.ts';

const TAKEN_BACK: readonly (readonly [string, string])[] = [
  ['Use npm for installs', 'Use pnpm instead of npm for installs'],
  ['Install packages with npm', 'Switched from npm to pnpm'],
  ['Use Jest', 'Replace Jest with Vitest'],
  ['Refresh tokens rotate on every use', 'Refresh tokens no longer rotate on every use'],
  ['Access tokens live 15 minutes', 'Access tokens live 30 minutes'],
  ['Deploy to Fly', 'Deploy to Render'],
  ['Use pnpm instead of npm', 'Use npm'],
  ['Prefer tabs', 'Use spaces rather than tabs'],
  ['Always squash commits before merging', 'Never squash commits before merging'],
  ['Queue jobs in Redis', 'Stop using Redis for jobs'],
  ['使用 npm 安装依赖', '用 pnpm 代替 npm 安装依赖'],
  ['テストは jest を使う', 'テストは jest ではなく vitest を使う'],
];

const BOTH_STAND: readonly (readonly [string, string])[] = [
  ['Use pnpm for installs', 'Use vitest for tests'],
  ['Postgres stores the orders', 'Use Redis instead of Postgres for the queue'],
  ['Use pnpm instead of npm for packages', 'Use npm scripts for builds'],
  ['Prices are kept in cents', 'Prices are stored in cents'],
  ['Use tabs in Makefiles', 'Use tabs in Go files'],
  ['Never commit secrets', 'Do not commit secrets'],
  ['Rotate refresh tokens on every use', 'Never log refresh tokens'],
  ['Sessions live in Redis', 'Sessions do not survive a restart of the worker'],
];

test('a later statement contradicts an earlier one', () => {
  for (const [a, b] of TAKEN_BACK)
    assert.ok(contradicts(statement('decision', a), statement('decision', b, {}, 1)), `${a} / ${b}`);
});

test('in doubt there is no contradiction', () => {
  for (const [a, b] of BOTH_STAND)
    assert.ok(!contradicts(statement('decision', a), statement('decision', b, {}, 1)), `${a} / ${b}`);
});

test('a piece of work contradicts nothing', () => {
  const earlier = statement('feature', 'Use npm for installs');
  assert.ok(!contradicts(earlier, statement('decision', 'Use pnpm instead of npm for installs', {}, 1)));
});
