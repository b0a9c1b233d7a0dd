import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readLines, type LineOptions } from './lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'lines-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function lines(text: string, options: LineOptions = {}) {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  const found: string[] = [];
  for await (const { start, end, bytes, ended } of readLines(path, options))
    found.push(`${start}-${end} ${bytes?.toString() ?? 'too long'}${ended ? '' : ' …'}`);
  return found;
}

test('each line has its offsets, and the last one says whether it ended', async () => {
  assert.deepEqual(await lines('one\n\ntwo\nthr'), ['0-4 one', '4-5 ', '5-9 two', '9-12 thr …']);
  assert.deepEqual(await lines(''), []);
});

test('lines between two offsets are read', async () => {
  assert.deepEqual(await lines('one\ntwo\nthree\n', { start: 4, end: 8 }), ['4-8 two']);
});

test('a line over the limit is skipped, and the next one is read', async () => {
  const long = 'x'.repeat(600_000);
  assert.deepEqual(await lines(`${long}\nshort\n${long}`, { maxBytes: 500_000 }), [
    '0-600001 too long',
    '600001-600007 short',
    '600007-1200007 too long …',
  ]);
});

test('a line across the chunks of the file is whole', async () => {
  const long = 'y'.repeat(600_000);
  assert.deepEqual(await lines(`a\n${long}\nb\n`), ['0-2 a', `2-600003 ${long}`, '600003-600005 b']);
});

test('a missing file has no lines', async () => {
  const found: unknown[] = [];
  for await (const line of readLines(join(folder, 'missing'))) found.push(line);
  assert.deepEqual(found, []);
});
