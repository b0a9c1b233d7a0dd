import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sweepTemps } from './folders.ts';
import { writeTemp } from './replace.ts';

test('a temporary file being written is not deleted, however old it looks', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'temps-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const writing = writeTemp(folder, 'text', true);
  const [name = ''] = readdirSync(folder);
  // As after the machine slept for a night.
  utimesSync(join(folder, name), 0, 0);
  sweepTemps(folder, Date.now());
  const temp = await writing;
  closeSync(temp.fd);
  assert.ok(existsSync(temp.path));
  sweepTemps(folder, Date.now());
  assert.ok(!existsSync(temp.path), 'an abandoned one is deleted');
});
