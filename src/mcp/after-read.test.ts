import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterRead } from './after-read.ts';
import type { ToolContext } from './tool.ts';

/** Returns the files that the daemon is asked about. */
async function asked(args: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const questions: unknown[] = [];
  const context: ToolContext = {
    call: () => Promise.reject(new Error('not used')),
    callIfUp: (_, question) => {
      if ('files' in question) questions.push(question.files);
      return Promise.resolve(undefined);
    },
    dir: '/engine',
    session: 's1',
    agent: '',
    thread: '',
    toolUse: '',
    now: new Date(),
    stopsOnce: () => false,
  };
  assert.equal(await afterRead.run(args, context), '');
  return questions;
}

test('a relative path of a search is below the current folder, not the folder of the daemon', async () => {
  assert.deepEqual(await asked({ searched: 'a.ts', cwd: '/engine/src' }), [['/engine/src/a.ts']]);
  assert.deepEqual(await asked({ searched: 'src/a.ts' }), [['/engine/src/a.ts']]);
  assert.deepEqual(await asked({ file: '/other/a.ts', cwd: '/engine' }), [['/other/a.ts']]);
});

test('a command that prints no file does not reach the daemon', async () => {
  assert.deepEqual(await asked({ command: 'npm test', cwd: '/engine' }), []);
});
