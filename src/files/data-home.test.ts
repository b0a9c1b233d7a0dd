import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { homeProblem } from './data-home.ts';

test('a data folder that does not exist yet is usable where it can be created, and is not created', (t) => {
  const folder = temporary(t);
  assert.equal(homeProblem(placesOf(join(folder, 'a', 'b'))), undefined);
  assert.deepEqual(readdirSync(folder), []);
});

test('data of another user is refused', (t) => {
  const home = join(temporary(t), '.tidemark');
  mkdirSync(join(home, 'run'), { recursive: true });
  const { uid } = statSync(home);
  assert.equal(homeProblem(placesOf(home), uid), undefined);
  const problem = homeProblem(placesOf(home), uid + 1);
  assert.match(problem?.message ?? '', new RegExp(`belongs to another user \\(uid ${uid}\\)$`));
  assert.match(problem?.hint ?? '', /TIDEMARK_HOME/);
});

function placesOf(home: string) {
  return { home, run: join(home, 'run') };
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'home-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
