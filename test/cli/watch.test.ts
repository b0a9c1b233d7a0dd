/** `tidemark watch`: prints new memories of this project or of all, until it is stopped. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { DIST, Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';

test('prints what is remembered here, not elsewhere, and leaves at Ctrl-C', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const watcher = await watch(t, machine);
  await remember(machine, 'The user likes tabs'); // personal: not of this project
  const memory = await remember(machine, 'Rotate the logs', machine.project);
  await waitFor('the memory to be printed', () => watcher.seen().some(({ id }) => id === memory.id));
  assert.ok(watcher.seen().every(({ project }) => project === memory.project));
  watcher.child.kill('SIGINT');
  assert.deepEqual(await once(watcher.child, 'close'), [0, null]);
});

test('ends when the daemon stops, and does not start it again', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const watcher = await watch(t, machine);
  const closed = once(watcher.child, 'close');
  await machine.call('stop', {});
  assert.deepEqual(await closed, [0, null]);
  assert.match(watcher.talk(), /The daemon has stopped/);
  await waitFor('the daemon to be gone', () => machine.daemons().length === 0);
});

/** Follows what is printed from the moment on at which the daemon knows of the watcher. */
async function watch(t: TestContext, machine: Machine) {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [join(DIST, 'cli.cjs'), 'watch', '--json'],
    { cwd: machine.project, env: machine.env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  let talk = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (talk += chunk));
  const seen = (): readonly Memory[] =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Memory);
  await waitFor('the watcher to follow', async () => {
    await remember(machine, `Marker ${Date.now()}`, machine.project);
    return seen().length > 0;
  });
  return { child, seen, talk: () => talk };
}

function remember(machine: Machine, title: string, dir?: string): Promise<Memory> {
  const draft = { kind: 'discovery' as const, title, body: '', facts: [], concepts: [], files: [] };
  return machine.call('remember', { draft, ...(dir ? { dir } : {}) });
}
