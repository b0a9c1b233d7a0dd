import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { removeLeftovers } from './client.ts';

const onWindows = process.platform === 'win32' ? 'making a link needs a right of its own on Windows' : false;

test('leftovers are removed from a file behind a link, and the link stays', { skip: onWindows }, (t) => {
  const home = mkdtempSync(join(tmpdir(), 'client-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const config = join(home, 'config');
  const real = join(home, 'known_marketplaces.json');
  const link = join(config, 'plugins', 'known_marketplaces.json');
  mkdirSync(join(config, 'plugins'), { recursive: true });
  writeFileSync(real, '{"tidemark": {"source": {}}, "other": {}}', { mode: 0o640 });
  symlinkSync(real, link);

  assert.deepEqual(removeLeftovers(config), [link]);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.deepEqual(JSON.parse(readFileSync(real, 'utf8')), { other: {} });
  assert.equal(lstatSync(real).mode & 0o777, 0o640);
});
