import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { askGit } from './git-process.ts';

test('a repository in which git hung is not asked again at once; another one is', async (t) => {
  const { folder, runs } = hangingGit(t, 'exec sleep 60');
  const [slow, other] = [join(folder, 'slow'), join(folder, 'other')];
  for (const root of [slow, other]) mkdirSync(root);
  const ask = (root: string) => askGit({ root, args: ['rev-parse', 'HEAD'], timeoutMs: 1500 });
  assert.equal(await ask(slow), undefined);
  assert.equal(await ask(slow), undefined);
  assert.equal(runs(), 1);
  assert.equal(await ask(other), undefined);
  assert.equal(runs(), 2);
});

test('a question that failed or was cancelled does not stop the next one', async (t) => {
  const { folder, runs } = hangingGit(t, 'exec sleep 60');
  const cancel = new AbortController();
  const asked = askGit({ root: folder, args: ['rev-parse'], timeoutMs: 60_000, signal: cancel.signal });
  cancel.abort();
  assert.equal(await asked, undefined);
  rmSync(join(folder, 'bin', 'git'));
  writeGit(folder, 'exit 1');
  for (let n = 0; n < 2; n++)
    assert.equal(await askGit({ root: folder, args: ['rev-parse'], timeoutMs: 60_000 }), undefined);
  assert.ok(runs() >= 2);
});

/** Puts a program named git on the PATH that counts its runs. */
function hangingGit(t: TestContext, then: string): { folder: string; runs: () => number } {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-git-'));
  const path = process.env['PATH'] ?? '';
  mkdirSync(join(folder, 'bin'));
  writeGit(folder, then);
  process.env['PATH'] = `${join(folder, 'bin')}${delimiter}${path}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });
  return { folder, runs: () => readFileSync(join(folder, 'runs'), 'utf8').length };
}

function writeGit(folder: string, then: string): void {
  const program = join(folder, 'bin', 'git');
  writeFileSync(program, `#!/bin/sh\nprintf x >>'${join(folder, 'runs')}'\n${then}\n`);
  chmodSync(program, 0o755);
}
