import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runChild } from '../../test/support/child-process.ts';
import { AppendLog } from './append-log.ts';
import { writeAtomically } from './atomic-write.ts';
import { makeFolder, removeTemporaries } from './folders.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-durable-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('data appended together is stored in the order of the calls, each at the returned offset', async () => {
  const path = join(folder, 'order');
  const file = new AppendLog(path);
  const words = Array.from({ length: 200 }, (_, i) => `word ${i}\n`);
  const offsets = await Promise.all(words.map((word) => file.append(Buffer.from(word))));
  await file.close();
  const text = readFileSync(path, 'utf8');
  assert.equal(text, words.join(''));
  assert.deepEqual(
    offsets.map((at, i) => text.slice(at, at + (words[i]?.length ?? 0))),
    words,
  );
});

test('the first append creates the file, and a closed log refuses appends', async () => {
  const path = join(folder, 'lazy');
  const file = new AppendLog(path);
  assert.equal(existsSync(path), false);
  await file.append(Buffer.from('x'));
  await file.close();
  await assert.rejects(file.append(Buffer.from('y')), { code: 'closed' });
  assert.equal(readFileSync(path, 'utf8'), 'x');
});

test('an incomplete record at the end of an existing file is cut off', async () => {
  const path = join(folder, 'torn');
  writeFileSync(path, 'whole\ntor');
  const file = new AppendLog(path, () => Promise.resolve('whole\n'.length));
  await file.append(Buffer.from('next\n'));
  await file.close();
  assert.equal(readFileSync(path, 'utf8'), 'whole\nnext\n');
});

test(
  'files are for their owner only, whatever the umask or the mode they had',
  { skip: process.platform === 'win32' },
  async () => {
    const umask = process.umask(0);
    try {
      const inner = join(folder, 'a', 'b');
      await makeFolder(inner);
      assert.deepEqual([modeOf(join(folder, 'a')), modeOf(inner)], [0o700, 0o700]);
      mkdirSync(join(folder, 'open'));
      chmodSync(join(folder, 'open'), 0o755);
      await makeFolder(join(folder, 'open'));
      assert.equal(modeOf(join(folder, 'open')), 0o700);
      await writeAtomically(join(inner, 'atomic'), 'x');
      assert.equal(modeOf(join(inner, 'atomic')), 0o600);
      writeFileSync(join(inner, 'appended'), '', { mode: 0o644 });
      const file = new AppendLog(join(inner, 'appended'));
      await file.append(Buffer.from('x'));
      await file.close();
      assert.equal(modeOf(join(inner, 'appended')), 0o600);
    } finally {
      process.umask(umask);
    }
  },
);

test('an atomic write that fails leaves the old content and no temporary file', async () => {
  const inner = join(folder, 'atomic');
  await makeFolder(inner);
  mkdirSync(join(inner, 'taken'));
  writeFileSync(join(inner, 'taken', 'inside'), '');
  await assert.rejects(writeAtomically(join(inner, 'taken'), 'x'), { name: 'TidemarkError' });
  assert.deepEqual(readdirSync(inner), ['taken']);
  writeFileSync(join(inner, '.cursor.json.12-0.tmp'), 'left by a killed writer');
  await removeTemporaries(inner);
  assert.deepEqual(readdirSync(inner), ['taken']);
});

/** A limit on file size acts like a full disk and needs no rights: the kernel writes a part, then refuses. */
const hasPrlimit = process.platform === 'linux' && existsSync('/usr/bin/prlimit');

test(
  'a full disk refuses the append, leaves no half record, and is forgotten when there is room again',
  { skip: !hasPrlimit },
  async () => {
    const path = join(folder, 'full');
    const child = runChild(
      `
      import { createInterface } from 'node:readline';
      import { AppendLog } from '${import.meta.dirname}/append-log.ts';
      const file = new AppendLog(${JSON.stringify(path)});
      for await (const line of createInterface(process.stdin)) {
        try {
          await file.append(Buffer.from(line.repeat(600) + '\\n'));
          console.log('durable');
        } catch (error) {
          console.log(error.code);
        }
      }
    `,
      ['/usr/bin/prlimit', '--fsize=1000:unlimited'],
    );
    const say = async (word: string): Promise<unknown> => {
      child.process.stdin?.write(`${word}\n`);
      return (await child.lines.next()).value;
    };
    assert.equal(await say('a'), 'durable');
    assert.equal(await say('b'), 'disk-full');
    assert.equal(readFileSync(path, 'utf8'), `${'a'.repeat(600)}\n`);
    assert.equal(await say('c'), 'disk-full');
    execFileSync('/usr/bin/prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited']);
    assert.equal(await say('d'), 'durable');
    child.process.stdin?.end();
    assert.equal((await child.exited).stderr, '');
    assert.equal(readFileSync(path, 'utf8'), `${'a'.repeat(600)}\n${'d'.repeat(600)}\n`);
  },
);
