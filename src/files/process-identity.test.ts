import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isAlive, isSame, startTimeOf } from './process-identity.ts';

test('a process is the same only with its own start time', () => {
  const startTime = startTimeOf(process.pid);
  assert.ok(startTime);
  assert.equal(startTimeOf(process.pid), startTime);
  assert.equal(isSame(process.pid, startTime), true);
  assert.equal(isSame(process.pid, `${startTime}1`), false);
  assert.equal(isSame(process.pid, null), true);
});

test('a dead process is not running', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const startTime = startTimeOf(pid);
  assert.ok(startTime);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(isSame(pid, startTime), false);
  assert.equal(isAlive(0), false);
  assert.equal(isAlive(-1), false);
  assert.equal(isAlive(Number.NaN), false);
});

test(
  'a name with spaces and parentheses does not shift the fields',
  { skip: process.platform !== 'linux' },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-process-'));
    try {
      const path = join(folder, 'a) b (c 1 2');
      copyFileSync('/bin/sleep', path);
      chmodSync(path, 0o700);
      const child = spawn(path, ['60']);
      await once(child, 'spawn');
      assert.match(startTimeOf(child.pid ?? 0) ?? '', /^\d{3,}$/);
      const beside = Number(startTimeOf(child.pid ?? 0)) - Number(startTimeOf(process.pid));
      assert.ok(beside >= 0);
      child.kill('SIGKILL');
      await once(child, 'exit');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
