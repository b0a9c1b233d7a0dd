import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { withLock } from './_lock.mjs';

function lockFile(t) {
  const folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'deep', 'x.lock');
}

test('work runs one after the other', async (t) => {
  const file = lockFile(t);
  const order = [];
  const work = async (name) => {
    order.push(`${name} in`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} out`);
  };
  await Promise.all([withLock(file, () => work('a')), withLock(file, () => work('b'))]);
  assert.deepEqual(order, ['a in', 'a out', 'b in', 'b out']);
});

test('the lock is gone after the work, also when the work fails', async (t) => {
  const file = lockFile(t);
  await assert.rejects(
    withLock(file, () => {
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(existsSync(file), false);
});

test('a waiting process learns the pid of the holder, once', async (t) => {
  const file = lockFile(t);
  const told = [];
  const { promise, resolve } = Promise.withResolvers();
  const first = withLock(file, () => promise);
  const second = withLock(
    file,
    () => undefined,
    (pid) => {
      told.push(pid);
      resolve();
    },
  );
  await Promise.all([first, second]);
  assert.deepEqual(told, [process.pid]);
});

test('the lock of a dead process is taken over', async (t) => {
  const file = lockFile(t);
  await withLock(file, () => undefined);
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  writeFileSync(file, String(pid));
  assert.equal(await withLock(file, () => 'done'), 'done');
});
