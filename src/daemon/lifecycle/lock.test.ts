import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runChild, type Child } from '../../../test/support/child-process.ts';
import { acquireLock } from './lock.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-lock-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const HOLDER = (path: string) => `
  import { acquireLock } from '${import.meta.dirname}/lock.ts';
  const lock = acquireLock(${JSON.stringify(path)});
  console.log(lock ? 'mine' : 'taken');
  process.stdin.resume().on('end', () => lock?.release());
`;

async function said(child: Child): Promise<string> {
  const { value } = await child.lines.next();
  return String(value);
}

test('a second process gets the lock only after the first releases it', async () => {
  const path = join(folder, 'release.lock');
  const lock = acquireLock(path);
  assert.ok(lock);
  const second = runChild(HOLDER(path));
  assert.equal(await said(second), 'taken');
  second.process.stdin?.end();
  assert.equal((await second.exited).code, 0);
  lock.release();
  lock.release();
  const third = runChild(HOLDER(path));
  assert.equal(await said(third), 'mine');
  third.process.stdin?.end();
  await third.exited;
});

test('the same process cannot take the lock twice, and a failed try keeps it', async () => {
  const path = join(folder, 'twice.lock');
  const lock = acquireLock(path);
  assert.ok(lock);
  assert.equal(acquireLock(path), undefined);
  const other = runChild(HOLDER(path));
  assert.equal(await said(other), 'taken');
  other.process.stdin?.end();
  await other.exited;
  lock.release();
});

test('the lock is free after its holder was killed', async () => {
  const path = join(folder, 'killed.lock');
  for (let round = 0; round < 5; round++) {
    const holder = runChild(HOLDER(path));
    assert.equal(await said(holder), 'mine', `round ${round}`);
    assert.equal(acquireLock(path), undefined);
    holder.process.kill('SIGKILL');
    assert.equal((await holder.exited).signal, 'SIGKILL');
  }
  const lock = acquireLock(path);
  assert.ok(lock);
  lock.release();
});

test('of eight processes that start together exactly one wins', async () => {
  for (let round = 0; round < 3; round++) {
    const path = join(folder, `race-${round}.lock`);
    const children = Array.from({ length: 8 }, () => runChild(HOLDER(path)));
    const answers = await Promise.all(children.map(said));
    for (const child of children) child.process.stdin?.end();
    await Promise.all(children.map((child) => child.exited));
    assert.deepEqual(answers.toSorted(), ['mine', ...Array<string>(7).fill('taken')]);
  }
});

test('the lock file is for its owner only, also under a loose umask', () => {
  const path = join(folder, 'mode.lock');
  const umask = process.umask(0);
  try {
    const lock = acquireLock(path);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    lock?.release();
  } finally {
    process.umask(umask);
  }
});

test('a lock file that cannot be opened is an error with a hint', () => {
  const path = join(folder, 'garbage.lock');
  writeFileSync(path, 'this is no database, and long enough to be seen as something else\n'.repeat(20));
  chmodSync(path, 0o600);
  assert.throws(() => acquireLock(path), { code: 'lock-failed' });
  assert.throws(() => acquireLock(join(folder, 'nowhere', 'x.lock')), { code: 'lock-failed' });
});
