/** One repository is one project in every work tree and folder: a decision made in one is injected in the others. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openStage, type Stage } from '../../support/claude.ts';
import { contextOf } from '../../support/hook-context.ts';
import { claudeCode } from '../../support/parts.ts';
import { sessionsOf, settle } from './_captured.ts';

const DECIDED = 'We decided to keep all sums in cents because floats lost money. [[say Noted: cents.]]';
const CENTS = /sums in cents/i;

const { path: claude, skip } = claudeCode('2.1.325');

test('a worktree and a moved folder get the memories of their repository', { skip }, async (t) => {
  const stage = await openStage(t, { claude });
  git(stage, stage.project, 'init', '-q', '-b', 'main');
  writeFileSync(join(stage.project, 'a.txt'), 'a\n');
  git(stage, stage.project, 'add', '.');
  git(stage, stage.project, 'commit', '-q', '-m', 'a');
  const [worktree, moved] = [`${stage.project}-fix`, join(dirname(stage.project), 'renamed')];
  git(stage, stage.project, 'worktree', 'add', '-q', '-b', 'fix', worktree);
  await stage.run(DECIDED);
  await settle(stage);

  const inWorktree = await stage.run('Hello [[say hi]]', { cwd: worktree });
  assert.match(contextOf(inWorktree.requests[0], 'SessionStart'), CENTS);
  const found = await sessionsOf(stage, worktree);
  assert.equal(found.length, 2, 'both sessions are of one project');
  const { branch, worktree: folder } = found.find(({ id }) => id === inWorktree.session) ?? {};
  assert.deepEqual({ branch, folder }, { branch: 'fix', folder: worktree });

  renameSync(stage.project, moved);
  const inMoved = await stage.run('Hello [[say hi]]', { cwd: moved });
  assert.match(contextOf(inMoved.requests[0], 'SessionStart'), CENTS);
  assert.equal((await sessionsOf(stage, moved)).length, 3);
});

function git(stage: Stage, cwd: string, ...args: string[]): void {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  execFileSync('git', [...who, ...args], { cwd, env: stage.env(), stdio: 'pipe' });
}
