/** `tidemark brief` where a session would get none: it says why, and what to do. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GitRepo } from '../support/git-repo.ts';
import { Machine } from '../support/machine.ts';

test('the smallest budget gives a short brief', async (t) => {
  const machine = Machine.open(t);
  await machine.cli(['remember', 'Refresh tokens rotate on every use', '--kind', 'decision']);
  const { stdout, stderr } = await machine.cli(['brief', '--set', 'recall.briefTokens=100']);
  assert.match(stdout, /- Refresh tokens rotate on every use\. \(user, now, \w+\)/, stderr);
});

test('an unknown folder says how it fills up, and stays unknown', async (t) => {
  const machine = Machine.open(t);
  const cwd = join(machine.root, 'unknown');
  mkdirSync(cwd);
  const { stdout, stderr, code } = await machine.cli(['brief'], { cwd });
  assert.deepEqual([stdout, code], ['', 0]);
  assert.match(stderr, /^Nothing is remembered for unknown \(.*unknown\) yet\./);
  assert.match(stderr, /tidemark import history/);
  assert.equal((await machine.cli(['projects', '--json'])).stdout.trim(), '[]');
});

test('a project whose memories have all ended is not called empty', async (t) => {
  const machine = Machine.open(t);
  const kept = await machine.cli(['add-issue', 'The port is taken', '--json']);
  await machine.cli(['resolve', (JSON.parse(kept.stdout) as { id: string }).id]);
  const { stderr } = await machine.cli(['brief']);
  assert.match(stderr, /would get no brief: no memory of this project is in force\.$/m);
});

test('a fresh clone finds the memories of its project', async (t) => {
  const machine = Machine.open(t);
  const repo = GitRepo.init(join(machine.root, 'shop'), machine.root);
  repo.commit('a.txt', 'a');
  await machine.cli(['remember', 'Use pnpm here', '--kind', 'preference'], { cwd: repo.root });
  const clone = join(machine.root, 'clone');
  repo.git('clone', '--quiet', repo.root, clone);
  assert.match((await machine.cli(['brief'], { cwd: clone })).stdout, /Use pnpm here/);
});

test('a clone that came with a journal says how to use it', async (t) => {
  const [one, other] = [Machine.open(t), Machine.open(t)];
  const repo = GitRepo.init(join(one.root, 'shop'), one.root);
  repo.commit('a.txt', 'a');
  await one.cli(['remember', 'Use pnpm here', '--kind', 'preference'], { cwd: repo.root });
  await one.cli(['journal', 'in-repository'], { cwd: repo.root });
  repo.git('add', '--all');
  repo.git('commit', '--quiet', '--message', 'journal');
  const clone = join(other.root, 'shop');
  repo.git('clone', '--quiet', repo.root, clone);
  const { stdout, stderr } = await other.cli(['brief'], { cwd: clone });
  assert.equal(stdout, '');
  assert.match(
    stderr,
    /This clone contains a journal: .*\.tidemark.journal\n.*tidemark journal in-repository\n$/,
  );
});
