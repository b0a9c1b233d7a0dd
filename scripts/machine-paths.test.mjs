import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMachinePaths } from './machine-paths.mjs';

const found = (...lines) =>
  findMachinePaths(['+++ b/docs/x.md', '@@ -0,0 +1 @@', ...lines].join('\n'), ['/somewhere/clone']);

test('a new line with a path of the machine is found', () => {
  assert.deepEqual(found('+see /somewhere/clone/src'), [
    'docs/x.md: holds a path of this machine: see /somewhere/clone/src',
  ]);
});

test('a removed line is left alone', () => {
  assert.deepEqual(found('-see /somewhere/clone/src'), []);
});

test('a longer path that merely contains the machine’s is left alone', () => {
  assert.deepEqual(found('+in /tmp/somewhere/clone-2, ~/somewhere/clone and db://somewhere/clone'), []);
});
