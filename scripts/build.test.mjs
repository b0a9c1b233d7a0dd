import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { waitFor } from '../test/support/wait-for.ts';
import { withEsbuild } from './build.mjs';

const isLinux = process.platform === 'linux';

test('esbuild leaves no process behind after a build', { skip: !isLinux && 'needs /proc' }, async () => {
  await withEsbuild(async (esbuild) => {
    await esbuild.transform('let a = 1');
    assert.equal(builders().length, 1);
  });
  await waitFor('the process of esbuild to end', () => builders().length === 0);
});

/** Returns the commands of this process's children that are esbuild. */
function builders() {
  const children = readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean),
  );
  return children.map(commandOf).filter((command) => command.includes('esbuild'));
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // gone by now
  }
}
