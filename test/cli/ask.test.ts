/** Questions at a real terminal: what was typed before one stood there is no answer to it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIST, Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';

/** Gives a program a terminal and hands on what is typed; that of util-linux alone takes these options. */
const hasScript = (spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '').includes(
  'util-linux',
);
const skip = hasScript ? undefined : 'script of util-linux is not here';

/** A machine so busy that the program gets no turn for a while after it began to listen. */
const BUSY = `
const { ReadStream } = require('node:tty');
const { setRawMode } = ReadStream.prototype;
ReadStream.prototype.setRawMode = function (mode) {
  if (mode) process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200));
  return setRawMode.call(this, mode);
};
`;

for (const [answer, code, left, said, machineIs] of [
  ['n\r', 1, 1, /Nothing was forgotten/, 'idle'],
  ['y\r', 0, 0, /Forgot 1 memory/, 'idle'],
  ['\u0003', 1, 1, /stopped; the steps done so far are kept/, 'idle'],
  ['n\r', 1, 1, /Nothing was forgotten/, 'busy'],
] as const) {
  test(
    `an answer typed too early is dropped, and ${JSON.stringify(answer)} is the answer, on a machine that is ${machineIs}`,
    { skip },
    async (t) => {
      const machine = Machine.open(t);
      await machine.cli(['remember', '--kind', 'decision', '--', 'Ask before anything is lost']);
      const busy = join(machine.root, 'busy.cjs');
      writeFileSync(busy, machineIs === 'busy' ? BUSY : '');
      const command = `'${process.execPath}' --require '${busy}' '${join(DIST, 'cli.cjs')}' clear-facts`;
      const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
        cwd: machine.project,
        env: machine.env,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const ended = new Promise<number | null>((resolve) => void terminal.on('close', resolve));
      let screen = '';
      terminal.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
      terminal.stdin.write('y\ry');
      await waitFor('the question', () => screen.includes('[y/N]'));
      terminal.stdin.write(answer);
      assert.equal(await ended, code, screen);
      assert.match(screen, said);
      const kept = JSON.parse((await machine.cli(['stats', '--json'])).stdout) as { memories: number };
      assert.equal(kept.memories, left);
    },
  );
}

test('undo at a terminal lists what it will forget and asks', { skip }, async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', '--kind', 'decision', '--', 'Ask before anything is lost']);
  const command = `'${process.execPath}' '${join(DIST, 'cli.cjs')}' undo`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: machine.project,
    env: machine.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => void terminal.on('close', resolve));
  let screen = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
  await waitFor('the question', () => screen.includes('[y/N]'));
  assert.match(screen, /will be forgotten:\s+.*Ask before anything is lost/);
  terminal.stdin.write('n\r');
  assert.equal(await ended, 1, screen);
  const kept = JSON.parse((await machine.cli(['stats', '--json'])).stdout) as { memories: number };
  assert.equal(kept.memories, 1);
});
