import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  isRefused,
  isRegularFile,
  openRegular,
  openRegularSync,
  readBytes,
  readBytesSync,
  readOpenSync,
  readText,
  readTextSync,
} from './bounded-read.ts';
import { listFolderSync, namesIn } from './folders.ts';

const NO_DEVICES = !existsSync('/dev/zero');
let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-files-'));
});

after(() => rmSync(folder, { recursive: true }));

test('a regular file is read completely, also through a link', async () => {
  const path = join(folder, 'plain');
  writeFileSync(path, 'äöü\n');
  symlinkSync(path, join(folder, 'link'));
  for (const one of [path, join(folder, 'link')]) {
    assert.equal(readTextSync(one, 100), 'äöü\n');
    assert.equal(await readText(one, 100), 'äöü\n');
    assert.ok(isRegularFile(one));
  }
});

test('an empty file, and one exactly as long as the limit, are read', async () => {
  const path = join(folder, 'exact');
  for (const text of ['', 'x'.repeat(5000)]) {
    writeFileSync(path, text);
    assert.equal(readBytesSync(path, 5000).length, text.length);
    assert.equal((await readBytes(path, 5000)).length, text.length);
  }
});

test('a file longer than the limit is refused before it is read', async () => {
  const path = join(folder, 'large');
  writeFileSync(path, '');
  truncateSync(path, 1024 ** 4);
  const refused = { name: 'TidemarkError', code: 'file-too-large', message: /larger than 64 KB/ };
  assert.throws(() => readTextSync(path, 64 * 1024), refused);
  await assert.rejects(readText(path, 64 * 1024), refused);
  await assert.rejects(openRegular(path, 64 * 1024), refused);
});

test('a file that grows past the limit while it is read is refused', () => {
  const path = join(folder, 'growing');
  writeFileSync(path, 'x'.repeat(1000));
  const { fd } = openRegularSync(path);
  appendFileSync(path, 'x'.repeat(9001));
  assert.throws(() => readOpenSync(fd, 10_000, path), { code: 'file-too-large' });
});

test('a file of the kernel is refused, also behind a link', { skip: !existsSync('/proc/self') }, async () => {
  const link = join(folder, 'kernel');
  symlinkSync('/proc/self/pagemap', link);
  for (const path of ['/proc/self/status', '/proc/self/pagemap', link]) await refusedAsNoFile(path);
});

test('a FIFO is refused at once', { skip: process.platform === 'win32' }, async () => {
  const path = join(folder, 'fifo');
  execFileSync('mkfifo', [path]);
  await refusedAsNoFile(path);
});

test('a device is refused, also behind a link', { skip: NO_DEVICES }, async () => {
  const link = join(folder, 'zero');
  symlinkSync('/dev/zero', link);
  for (const path of ['/dev/zero', link]) await refusedAsNoFile(path);
});

test('a folder is refused', async () => {
  const path = join(folder, 'folder');
  mkdirSync(path);
  await refusedAsNoFile(path);
});

test('a socket is refused', { skip: process.platform === 'win32' }, async () => {
  const path = join(folder, 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  try {
    await refusedAsNoFile(path);
  } finally {
    server.close();
  }
});

test('a file that does not exist keeps the error of the system', async () => {
  const path = join(folder, 'missing');
  assert.throws(() => readTextSync(path, 10), { code: 'ENOENT' });
  await assert.rejects(readText(path, 10), { code: 'ENOENT' });
  assert.equal(isRegularFile(path), false);
});

test('a folder is listed up to a number of names', () => {
  const path = join(folder, 'many');
  mkdirSync(path);
  for (let i = 0; i < 20; i++) writeFileSync(join(path, `file-${i}`), '');
  assert.equal(listFolderSync(path).length, 20);
  assert.equal(listFolderSync(path, 7).length, 7);
  assert.deepEqual(namesIn(path).slice(0, 2), ['file-0', 'file-1']);
  for (const none of ['missing', 'many/file-0']) assert.deepEqual(namesIn(join(folder, none)), []);
  assert.throws(() => listFolderSync(join(folder, 'missing')), { code: 'ENOENT' });
});

async function refusedAsNoFile(path: string): Promise<void> {
  assert.throws(() => readBytesSync(path, 100), isRefused);
  await assert.rejects(readBytes(path, 100), { code: 'not-a-file', message: /is not a regular file/ });
  await assert.rejects(openRegular(path), isRefused);
  assert.equal(isRegularFile(path), false);
}
