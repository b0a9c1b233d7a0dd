import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { writeAtomically, writeAtomicallySync } from './atomic-write.ts';
import { makeFolderSync } from './folders.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atomic-write-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a written file has its content and mode, and no temporary file stays', async (t) => {
  const root = folder(t);
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  writeAtomicallySync(join(root, 'a'), 'one', { mode: 0o644 });
  writeAtomicallySync(join(root, 'a'), 'two', { mode: 0o644 });
  await writeAtomically(join(root, 'b'), 'three');
  assert.equal(readFileSync(join(root, 'a'), 'utf8'), 'two');
  assert.deepEqual(
    ['a', 'b'].map((name) => statSync(join(root, name)).mode & 0o777),
    [0o644, 0o600],
  );
  assert.deepEqual(readdirSync(root).sort(), ['a', 'b']);
});

test('a write that fails leaves the old file and no temporary file', async (t) => {
  const root = folder(t);
  mkdirSync(join(root, 'in-the-way', 'full'), { recursive: true });
  assert.throws(() => writeAtomicallySync(join(root, 'in-the-way'), 'text'));
  await assert.rejects(writeAtomically(join(root, 'in-the-way'), 'text'), { code: 'file-failed' });
  assert.deepEqual(readdirSync(root), ['in-the-way']);
});

test('many writes of one file at once leave one of the contents', async (t) => {
  const path = join(folder(t), 'a');
  const contents = Array.from({ length: 20 }, (_, i) => `content ${i}`);
  await Promise.all(contents.map((text) => writeAtomically(path, text)));
  assert.ok(contents.includes(readFileSync(path, 'utf8')));
});

test('a folder is made with its parents, for the owner only', (t) => {
  const path = join(folder(t), 'a', 'b', 'c');
  makeFolderSync(path);
  makeFolderSync(path);
  assert.equal(statSync(path).mode & 0o777, 0o700);
});
