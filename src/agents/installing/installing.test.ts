import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn } from '../../core/index.ts';
import { EditedFile } from './edited-file.ts';
import { hookCommand, mcpCommand, putWrapper, wrapperPath } from './hook-wrapper.ts';
import { withMember, withoutMember } from './json-text.ts';
import { outdated, putFiles, removeFiles } from './own-files.ts';

const without = (text: string): string => withoutMember(text, ['ours']);

test('an edited file is restored byte for byte, with its mode', (t) => {
  const { places, folder } = open(t);
  const path = join(folder, 'settings.json');
  const before = '{\r\n "a":1}';
  writeFileSync(path, before, { mode: 0o640 });
  chmodSync(path, 0o640);
  const file = new EditedFile(places, path);
  assert.ok(file.write(withMember(before, ['ours'], 1)));
  assert.ok(new EditedFile(places, path).write(withMember(before, ['ours'], 2)), 'a second install');
  assert.ok(!file.write(withMember(before, ['ours'], 2)), 'the same again');
  assert.ok(new EditedFile(places, path).restore(without));
  assert.equal(readFileSync(path, 'utf8'), before);
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.ok(!existsSync(places.before));
});

test('what the user changed since stays, and only our part goes', (t) => {
  const { places, folder } = open(t);
  const path = join(folder, 'settings.json');
  writeFileSync(path, '{\n  "a": 1\n}\n');
  const file = new EditedFile(places, path);
  file.write(withMember(file.read() ?? '', ['ours'], { b: 1 }));
  writeFileSync(path, withMember(file.read() ?? '', ['mine'], true));
  file.restore(without);
  assert.equal(readFileSync(path, 'utf8'), '{\n  "a": 1,\n  "mine": true\n}\n');
});

test('what the user changed between two installs stays', (t) => {
  const { places, folder } = open(t);
  const path = join(folder, 'settings.json');
  writeFileSync(path, '{\n  "a": 1\n}\n');
  const file = new EditedFile(places, path);
  file.write(withMember(file.read() ?? '', ['ours'], 1));
  writeFileSync(path, withMember(file.read() ?? '', ['mine'], true));
  file.write(withMember(file.read() ?? '', ['ours'], 2));
  file.write(withMember(file.read() ?? '', ['ours'], 3));
  file.restore(without);
  assert.equal(readFileSync(path, 'utf8'), '{\n  "a": 1,\n  "mine": true\n}\n');
});

test('a file that the user deleted between two installs is not brought back', (t) => {
  const { places, folder } = open(t);
  const path = join(folder, 'settings.json');
  writeFileSync(path, '{"a": 1}');
  const file = new EditedFile(places, path);
  file.write('{"a": 1, "ours": 1}');
  rmSync(path);
  file.write('{"ours": 1}');
  file.restore(without);
  assert.ok(!existsSync(path));
});

test('a file is edited through a link, and a link to nothing is left alone', (t) => {
  const { places, folder } = open(t);
  const [path, real] = [join(folder, 'settings.json'), join(folder, 'real.json')];
  symlinkSync(real, path);
  const file = new EditedFile(places, path);
  assert.throws(() => file.write('{"ours": 1}'), /link to a file that does not exist/);
  writeFileSync(real, '{}');
  file.write('{"ours": 1}');
  assert.equal(readFileSync(real, 'utf8'), '{"ours": 1}');
  file.restore(without);
  assert.equal(readFileSync(real, 'utf8'), '{}');
  assert.ok(lstatSync(path).isSymbolicLink());
});

test('a file and folders that were created for us go again', (t) => {
  const { places, folder } = open(t);
  const path = join(folder, 'new', 'deep', 'settings.json');
  const file = new EditedFile(places, path);
  file.write('{"ours": 1}');
  writeFileSync(path, '{"ours": 1 }\n'); // reformatted by the client
  file.restore(without);
  assert.ok(!existsSync(join(folder, 'new')));
  assert.ok(existsSync(folder));
});

test('files of our own are written once and removed with their folders', (t) => {
  const { folder } = open(t);
  const files = [{ path: join(folder, 'skills', 'tidemark', 'SKILL.md'), text: 'x' }];
  assert.equal(putFiles(files).length, 1);
  assert.equal(outdated(files).length, 0);
  assert.equal(putFiles(files).length, 0);
  assert.equal(
    removeFiles(
      files.map(({ path }) => path),
      folder,
    ).length,
    1,
  );
  assert.ok(!existsSync(join(folder, 'skills')));
});

test('empty folders of the user stay where nothing of ours was', (t) => {
  const { folder } = open(t);
  mkdirSync(join(folder, 'skills'));
  assert.deepEqual(removeFiles([join(folder, 'skills', 'SKILL.md')], folder), []);
  assert.ok(existsSync(join(folder, 'skills')));
});

test('the hook command runs the installed program, from a folder with any name, and never fails', (t) => {
  const { folder } = open(t);
  const places = placesIn(join(folder, 'it\'s "$HOME" `x`'));
  mkdirSync(places.home);
  putWrapper(places);
  const command = hookCommand(places, 'Stop', 'codex');
  const run = (): string =>
    execFileSync('sh', ['-c', command], { env: { PATH: '/usr/bin:/bin' } }).toString();
  assert.equal(run(), '', 'nothing is installed');
  const hooks = join(folder, 'a program', 'hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, 'hook.sh'), 'printf "%s|%s|%s" "$TIDEMARK_HOME" "$1" "$2"');
  writeFileSync(places.program, `${join(folder, 'a program', 'dist')}\n`);
  assert.equal(run(), `${places.home}|Stop|codex`);
  mkdirSync(join(folder, 'a program', 'bin'));
  writeFileSync(join(folder, 'a program', 'bin', 'tidemark'), 'printf "%s" "$*"');
  const [program, ...args] = mcpCommand(places, 'codex');
  assert.equal(execFileSync(program, args).toString(), 'mcp --agent codex');
  const text = readFileSync(wrapperPath(places), 'utf8');
  putWrapper(places);
  assert.equal(readFileSync(wrapperPath(places), 'utf8'), text);
});

function open(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'installing-'));
  t.after(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'client');
  mkdirSync(folder);
  return { folder, places: placesIn(join(root, 'data')) };
}
