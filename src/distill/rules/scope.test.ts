import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPersonal, saysEverywhere } from './scope.ts';

test('a rule applies in every project only if the user says so', () => {
  for (const said of [
    'In all my projects, use pnpm',
    'across every one of my repos, no force-push',
    'I want this in every project I work on',
    'whatever the project, ask before you commit',
    'use UTC, always and everywhere',
  ])
    assert.ok(saysEverywhere(said), said);
});

test('a rule that may be about this project stays here', () => {
  for (const said of [
    'use tabs everywhere',
    'always use pnpm',
    'in every project bump the version',
    'for each package, run the linter',
    'in all our projects we use pnpm',
    'in all my projects except this repo, use tabs',
    'I want tests for the parser',
  ])
    assert.equal(isPersonal(said), false, said);
});
