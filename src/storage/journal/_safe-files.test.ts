import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sampleHead, sampleJournal, sampleMemory } from '../../../test/support/journal-sample.ts';
import { SafeFiles } from './_safe-files.ts';

const PUTS = process.env['TIDEMARK_TEST_LONG'] ? 300 : 60;

function sample(t: TestContext): { files: SafeFiles; path: string; text: () => string } {
  const root = fs.mkdtempSync(join(tmpdir(), 'tidemark-files-'));
  const files = new SafeFiles();
  t.after(async () => {
    await files.close();
    fs.rmSync(root, { recursive: true, force: true });
  });
  const path = join(root, 'day.md');
  return { files, path, text: () => fs.readFileSync(path, 'utf8') };
}

const add = (line: string) => (text: string | null) =>
  text?.includes(line) ? text : `${text ?? ''}${line}\n`;

test('an edit during a write is read before the change is applied', async (t) => {
  const { files, path, text } = sample(t);
  await files.change(path, add('first'));
  let edits = 0;
  const { before } = await files.change(path, (now) => {
    if (edits++ === 0) fs.appendFileSync(path, 'by a person\n');
    return add('second')(now);
  });
  assert.equal(before, 'first\nby a person\n');
  assert.equal(text(), 'first\nby a person\nsecond\n');
});

test('a file that an editor replaces during a write is not overwritten', async (t) => {
  const { files, path, text } = sample(t);
  await files.change(path, add('first'));
  let edits = 0;
  await files.change(path, (now) => {
    if (edits++ === 0) {
      fs.writeFileSync(`${path}.swp`, 'first, edited\n');
      fs.renameSync(`${path}.swp`, path);
    }
    return add('second')(now);
  });
  assert.equal(text(), 'first, edited\nsecond\n');
});

test('a file that another program creates during a write is not overwritten', async (t) => {
  const { files, path, text } = sample(t);
  let edits = 0;
  await files.change(path, (now) => {
    if (edits++ === 0) fs.writeFileSync(path, 'by a person\n');
    return add('ours')(now);
  });
  assert.equal(text(), 'by a person\nours\n');
});

test('a late write to the replaced file is merged', async (t) => {
  const { files, path, text } = sample(t);
  await files.change(path, add('first'));
  const late = fs.openSync(path, 'a');
  await files.change(path, add('second'));
  fs.appendFileSync(path, 'on the new file\n');
  fs.writeSync(late, 'on the old file\n');
  fs.closeSync(late);
  await files.settle();
  assert.deepEqual(text().split('\n').toSorted(), [
    '',
    'first',
    'on the new file',
    'on the old file',
    'second',
  ]);
});

test('an editor that empties the file before it writes loses none of our changes', async (t) => {
  const { files, path, text } = sample(t);
  await files.change(path, add('first'));
  const editor = fs.openSync(path, 'w');
  await files.change(path, add('ours'));
  fs.writeSync(editor, 'first, edited\n');
  fs.closeSync(editor);
  await files.settle();
  assert.equal(text(), 'first, edited\nours\n');
});

test('a late write does not restore a removed text', async (t) => {
  const { files, path, text } = sample(t);
  await files.change(path, add('secret\nfirst'));
  const late = fs.openSync(path, 'a');
  await files.change(path, (now) => now?.replace('secret\n', '') ?? null);
  fs.writeSync(late, 'late\n');
  fs.closeSync(late);
  await files.settle();
  assert.equal(text(), 'first\nlate\n');
});

test('a link to another file stays a link', async (t) => {
  const { files, path, text } = sample(t);
  fs.writeFileSync(`${path}.real`, 'first\n');
  fs.symlinkSync(`${path}.real`, path);
  await files.change(path, add('second'));
  assert.ok(fs.lstatSync(path).isSymbolicLink());
  assert.equal(text(), 'first\nsecond\n');
});

test('text that is not UTF-8 keeps its characters', async (t) => {
  const { files, path, text } = sample(t);
  fs.writeFileSync(path, Buffer.from('caf\xe9 \x80\n', 'latin1'));
  await files.change(path, add('second'));
  assert.equal(text(), 'café €\nsecond\n');
});

/** Appends lines and changes one line in place, hundreds of times a second, until its input ends. */
const EDITOR = `
const fs = require('node:fs');
const path = process.argv[1];
let open = true, count = 0;
process.stdin.resume().on('end', () => { open = false; });
(function step() {
  if (!open) return process.stdout.write(String(count));
  fs.appendFileSync(path, 'hand-' + count++ + '.\\n');
  const fd = fs.openSync(path, 'r+');
  const at = fs.readFileSync(fd).indexOf('mark-');
  if (at >= 0) fs.writeSync(fd, 'mark-' + String(count).padStart(6, '0'), at);
  fs.closeSync(fd);
  setTimeout(step, 2);
})();
`;

test('no line is lost while another process edits the file all the time', async (t) => {
  const journal = sampleJournal(t);
  const memories = Array.from({ length: PUTS }, (_, n) =>
    sampleMemory({
      at: new Date(Date.UTC(2026, 10, 15, 1, n)).toISOString().replace(/2026-11-1[6-9]/, '2026-11-15'),
      title: `memory-${n}.`,
    }),
  );
  await journal.put(memories.slice(0, 1), [sampleHead]);
  const path = join(journal.root, 'acme-api/2026-11-15.md');
  fs.appendFileSync(path, '\nmark-000000\n');
  const editor = spawn(process.execPath, ['-e', EDITOR, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => editor.kill());
  let count = '';
  editor.stdout.on('data', (chunk) => (count += String(chunk)));
  for (const memory of memories) await journal.put([memory], [sampleHead]);
  editor.stdin.end();
  await once(editor, 'close');
  await journal.settle();
  const text = fs.readFileSync(path, 'utf8');
  const lost = Array.from({ length: Number(count) }, (_, n) => `hand-${n}.`).filter(
    (line) => !text.includes(`${line}\n`),
  );
  assert.deepEqual(lost, []);
  const { entries } = journal.read(path);
  const found = new Set(entries.map(({ memory }) => memory.title));
  assert.deepEqual(
    memories.map(({ title }) => title).filter((title) => !found.has(title)),
    [],
  );
  assert.ok(Number(count) > 0 && entries.length >= memories.length);
  assert.match(text, new RegExp(`mark-0*${count}\n`), 'its last change in place is in the file');
});
