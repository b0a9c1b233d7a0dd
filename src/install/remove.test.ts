import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { placesIn } from '../core/index.ts';
import { purgeData } from './remove.ts';

function folder(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-purge-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test('a purge leaves nothing of what was remembered, not even what was just forgotten', (t) => {
  const home = folder(t);
  for (const name of ['journal', 'turns', 'ledger', 'backups', 'forgotten', 'spoilt', 'reports']) {
    mkdirSync(join(home, name));
    writeFileSync(join(home, name, 'x'), 'remembered');
  }
  assert.deepEqual(purgeData(placesIn(home)), []);
  assert.equal(existsSync(home), false);
});

test('what is not ours stays, and is named', (t) => {
  const home = folder(t);
  mkdirSync(join(home, 'journal'));
  writeFileSync(join(home, 'notes.txt'), 'mine');
  assert.deepEqual(purgeData(placesIn(home)), ['notes.txt']);
  assert.ok(existsSync(join(home, 'notes.txt')));
});
