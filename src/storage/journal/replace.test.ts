import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sweepTemps } from './folders.ts';
import { writeTemp } from './replace.ts';

test('what is still on its way to the disk is not swept away, however old it looks', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'temps-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const writing = writeTemp(folder, 'text', true);
  const [name = ''] = readdirSync(folder);
  // As after a night in which the machine slept.
  utimesSync(join(folder, name), 0, 0);
  sweepTemps(folder, Date.now());
  const temp = await writing;
  closeSync(temp.fd);
  assert.ok(existsSync(temp.path));
  sweepTemps(folder, Date.now());
  assert.ok(!existsSync(temp.path), 'left lying, it is');
});
