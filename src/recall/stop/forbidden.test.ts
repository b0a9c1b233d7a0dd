import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemoryKind } from '../../core/index.ts';
import { forbiddenBy } from './forbidden.ts';

function forbids(
  title: string,
  kind: MemoryKind = 'preference',
  more: { body?: string; reason?: string } = {},
) {
  const found = forbiddenBy({ kind, title, body: '', facts: [], ...more });
  return found.map((one) => `${one.kind === 'path' ? one.act : one.kind} ${one.text}`);
}

for (const [title, expected] of [
  ['Never run prisma migrate reset', ['command prisma migrate reset']],
  ['Never run `prisma migrate reset`, it wipes the seed data', ['command prisma migrate reset']],
  ['Do not run prisma migrate reset because it wipes the seed data', ['command prisma migrate reset']],
  ['Never run prisma migrate reset in this project', ['command prisma migrate reset']],
  ['Never run prisma migrate reset without asking', ['command prisma migrate reset']],
  ["Don't use git push --force", ['command git push --force']],
  ['Never `git push --force`', ['command git push --force']],
  ['Never use npm, use pnpm', ['command npm']],
  ['Never run make; use just', ['command make']],
  ['Do not use lodash.merge again', ['command lodash.merge', 'name lodash.merge']],
  ['Never call `resetDatabase()` directly', ['command resetDatabase', 'name resetDatabase']],
  ['Never import @acme/legacy', ['name @acme/legacy']],
  [
    'Never use lodash.merge or Object.assign',
    ['command lodash.merge', 'name lodash.merge', 'command Object.assign', 'name Object.assign'],
  ],
  ['Never edit src/generated/client.ts', ['change src/generated/client.ts']],
  ['Never edit files in src/generated/', ['change src/generated/']],
  ['Never commit .env.local', ['commit .env.local']],
  ['Never delete data/fixtures.json', ['delete data/fixtures.json']],
  ['`moment` is banned', ['command moment', 'name moment']],
  ['src/generated/client.ts must not be edited', ['change src/generated/client.ts']],
  ['No `console.log`', ['name console.log', 'command console.log']],
] as const)
  test(`a rule forbids exactly: ${title}`, () => assert.deepEqual(forbids(title), expected));

for (const title of [
  'Never run prisma migrate reset unless the user asks',
  'Never run prisma migrate reset except in CI',
  'Never run prisma migrate reset on the staging database',
  'Never run prisma migrate reset in production',
  'Never run prisma migrate reset, when the seed is missing',
  'Never use lodash.merge for configs',
  'Only use lodash.merge in tests',
  'Use lodash.merge for configs',
  'Never add default exports',
  'Never run tests in parallel',
  'Never run test',
  'Always run prisma migrate reset first',
  'We should not use lodash.merge too much',
  'Use pnpm instead of npm',
  'Avoid lodash.merge',
  'Prefer structuredClone, not lodash.merge',
  'Never trust the client',
  'No default exports',
  'Never push to main',
  'Do not change the API',
  'Never use it',
])
  test(`a rule forbids nothing exactly: ${title}`, () => assert.deepEqual(forbids(title), []));

test('an exception in the body or the reason makes a rule inexact', () => {
  const title = 'Never run prisma migrate reset';
  assert.deepEqual(forbids(title, 'preference', { body: 'It is allowed in the sandbox.' }), []);
  assert.deepEqual(forbids(title, 'preference', { reason: 'It wipes data, except in CI.' }), []);
  assert.equal(forbids(title, 'preference', { body: 'It wipes the seed data.' }).length, 1);
});

test('a sentence of the body forbids too', () => {
  const body = 'The seed takes an hour. Never run prisma migrate reset.';
  assert.deepEqual(forbids('The seed is precious', 'decision', { body }), ['command prisma migrate reset']);
});

for (const [title, expected] of [
  ['lodash.merge breaks on Dates', ['command lodash.merge', 'name lodash.merge']],
  ['Using lodash.merge corrupts Dates', ['command lodash.merge', 'name lodash.merge']],
  ['Tried lodash.merge: it loses Dates', ['command lodash.merge', 'name lodash.merge']],
  ['`prisma db push` drops the views', ['command prisma db push']],
  ['prisma db push drops the views', ['command prisma db push']],
  ['Running prisma db push failed', ['command prisma db push']],
] as const)
  test(`a dead end forbids exactly: ${title}`, () => assert.deepEqual(forbids(title, 'dead_end'), expected));

for (const title of [
  'lodash.merge breaks when objects are frozen',
  'lodash.merge breaks in the worker',
  '`npm test` hangs in CI',
  'lodash.merge for the config',
  'lodash.merge',
  'Sessions in a JWT without a store',
  'Caching fails',
  'COPY FROM STDIN for the import',
  'axios fails behind the proxy',
  'lodash.merge is fine on Dates',
])
  test(`a dead end forbids nothing exactly: ${title}`, () =>
    assert.deepEqual(forbids(title, 'dead_end'), []));

test('long and hostile entries take no time worth mentioning', () => {
  for (const piece of ['never use ', '`', 'a or ', 'never run a ', 'tried ', ', ', 'a.']) {
    const title = piece.repeat(2000 / piece.length);
    assert.ok(forbids(title).length < 2000);
    assert.ok(forbids(title, 'dead_end').length < 2000);
  }
});
