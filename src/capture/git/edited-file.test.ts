import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { folderOf, namesInProject } from './edited-file.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'edited-')));
const root = join(folder, 'project');
mkdirSync(join(root, 'src'), { recursive: true });
writeFileSync(join(root, 'src', 'a.ts'), '');
symlinkSync(root, join(folder, 'link'));
symlinkSync(join(root, 'src'), join(root, 'alias'));
symlinkSync('/nowhere/b.ts', join(root, 'b.ts'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a file is named from the root', () => {
  assert.deepEqual(namesInProject(join(root, 'src', 'a.ts'), root), ['src/a.ts']);
});

test('a project reached through a link has the same files, also those not made yet', () => {
  assert.deepEqual(namesInProject(join(folder, 'link', 'src', 'a.ts'), root), ['src/a.ts']);
  assert.deepEqual(namesInProject(join(folder, 'link', 'new', 'x.ts'), root), ['new/x.ts']);
});

test('a link inside the project gives a file two names', () => {
  assert.deepEqual(namesInProject(join(root, 'alias', 'a.ts'), root), ['alias/a.ts', 'src/a.ts']);
});

test('a file outside has no name, also in a folder that has the root as prefix', () => {
  assert.deepEqual(namesInProject('/etc/hosts', root), []);
  assert.deepEqual(namesInProject(`${root}-old/src/a.ts`, root), []);
  assert.deepEqual(namesInProject(root, root), []);
  assert.deepEqual(namesInProject('', root), []);
});

test('Windows paths with backslashes and another drive case match', () => {
  assert.deepEqual(namesInProject('c:\\Work\\app\\src\\A.ts', 'C:\\work\\app', true), ['src/A.ts']);
  assert.deepEqual(namesInProject('c:\\Work\\app\\src\\A.ts', 'C:\\work\\app', false), []);
});

test('a backslash in a name of this system is part of the name', () => {
  assert.deepEqual(namesInProject(join(root, 'a\\b.ts'), root), ['a\\b.ts']);
});

test('the folder of a missing file is the nearest existing one', () => {
  assert.equal(folderOf(join(root, 'src', 'new', 'deep', 'x.ts')), join(root, 'src'));
});
