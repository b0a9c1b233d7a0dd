import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FileStates, GONE, ReadBudget } from './file-states.ts';

test('the hash is the one git prints', (t) => {
  const root = folder(t);
  for (const content of ['', 'plain\n', 'zwei Wörter, 二つ\r\n', '\0\u0001']) {
    writeFileSync(join(root, 'a.txt'), content);
    const expected = execFileSync('git', ['hash-object', '--no-filters', 'a.txt'], {
      cwd: root,
      encoding: 'utf8',
    });
    assert.equal(new FileStates().look(root, 'a.txt')?.blob, expected.trim());
  }
});

test('a file is read again only after it changed', (t) => {
  const root = folder(t);
  const file = join(root, 'a.txt');
  const long = new Date('2026-01-01T00:00:00Z');
  writeFileSync(file, 'one');
  utimesSync(file, long, long);
  const states = new FileStates();
  const first = states.look(root, 'a.txt');
  assert.deepEqual(states.look(root, 'a.txt', new ReadBudget(0)), first, 'no byte is read for it');
  writeFileSync(file, 'two');
  assert.notEqual(states.look(root, 'a.txt')?.blob, first?.blob);
});

test('a missing file is gone; in a missing folder it is unknown', (t) => {
  const root = folder(t);
  assert.equal(new FileStates().look(root, 'src/none.ts')?.blob, GONE);
  assert.equal(new FileStates().look(join(root, 'elsewhere'), 'src/none.ts'), undefined);
});

test('files outside the folder, links, folders and large files are not read', (t) => {
  const outer = folder(t);
  const root = join(outer, 'project');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(outer, 'secret.txt'), 'secret');
  writeFileSync(join(root, 'real.txt'), 'real');
  symlinkSync(join(outer, 'secret.txt'), join(root, 'link.txt'));
  symlinkSync(outer, join(root, 'up'));
  writeFileSync(join(root, 'large.bin'), Buffer.alloc(2 * 1024 * 1024 + 1));
  const states = new FileStates();
  for (const file of [
    '../secret.txt',
    'src/../../secret.txt',
    join(outer, 'secret.txt'),
    'link.txt',
    'up/secret.txt',
    'src',
    '',
    'large.bin',
    'a\0b',
  ])
    assert.equal(states.look(root, file), undefined, file);
  assert.ok(states.look(root, 'src/../real.txt')?.blob);
});

test('reading stops at the budget', (t) => {
  const root = folder(t);
  for (const name of ['a', 'b']) writeFileSync(join(root, name), 'x'.repeat(100));
  const budget = new ReadBudget(150);
  const states = new FileStates();
  assert.ok(states.look(root, 'a', budget));
  assert.equal(states.look(root, 'b', budget), undefined);
});

function folder(t: TestContext): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-states-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
