import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GitRepo } from '../../../test/support/git-repo.ts';
import type { BranchHead } from '../../database/index.ts';
import { Branches, branchState } from './branches.ts';
import { headAround, headCommit } from './head.ts';
import { findRepository, type Repository } from './repository.ts';

test('a branch is elsewhere until it is merged, by a merge commit or by moving on', async (t) => {
  const { repo, ask } = open(t);
  repo.git('switch', '-q', '-c', 'feature');
  const before = repo.git('rev-parse', 'HEAD');
  repo.commit('b.ts', 'feature');
  repo.git('switch', '-q', 'main');
  const made = { branch: 'feature', head: before };
  assert.equal(await ask(made), 'unmerged');
  repo.commit('c.ts', 'main');
  repo.git('merge', '-q', '--no-ff', 'feature', '-m', 'merge');
  assert.equal(await ask(made), 'here');
});

test('a branch without commits is unmerged', async (t) => {
  const { repo, ask } = open(t);
  const head = repo.git('rev-parse', 'HEAD');
  repo.git('branch', 'idea');
  assert.equal(await ask({ branch: 'idea', head }), 'unmerged');
});

test('of a deleted branch the commit decides', async (t) => {
  const { repo, ask } = open(t);
  repo.git('switch', '-q', '-c', 'done');
  const merged = repo.commit('b.ts', 'done');
  repo.git('switch', '-q', 'main');
  repo.git('merge', '-q', 'done');
  repo.git('switch', '-q', '-c', 'dropped');
  const dropped = repo.commit('c.ts', 'dropped');
  repo.git('switch', '-q', 'main');
  repo.git('branch', '-D', 'done', 'dropped');
  assert.equal(await ask({ branch: 'done', head: merged }), 'here');
  assert.equal(await ask({ branch: 'dropped', head: dropped }), 'unmerged');
  assert.equal(await ask({ branch: 'never-seen' }), 'unknown');
  assert.equal(await ask({ branch: 'collected', head: 'f'.repeat(40) }), 'unknown');
});

test('work in the trunk counts on every branch', async (t) => {
  const { repo, ask } = open(t);
  repo.git('branch', 'old');
  repo.git('switch', '-q', '-c', 'feature');
  const before = repo.git('rev-parse', 'HEAD');
  repo.commit('b.ts', 'feature');
  repo.git('switch', '-q', 'main');
  repo.git('merge', '-q', 'feature');
  repo.git('switch', '-q', 'old');
  assert.equal(await ask({ branch: 'feature', head: before }), 'here');
  assert.equal(await ask({ branch: 'main', head: repo.git('rev-parse', 'main') }), 'here');
});

test('each work tree is seen from its own branch', async (t) => {
  const { repo, base, home } = open(t);
  const tree = repo.worktree(join(base, 'tree'), 'feature');
  const commit = tree.commit('b.ts', 'feature');
  const made = { branch: 'feature', head: commit };
  const branches = new Branches();
  const at = async (root: string) => {
    const repository = findRepository(root, home) as Repository;
    await branches.renew(repository, [made]);
    return branchState(branches.view(repository, [made]), repository.branch, made);
  };
  assert.equal(await at(tree.root), 'here');
  assert.equal(await at(repo.root), 'unmerged');
  repo.git('merge', '-q', 'feature');
  repo.commit('d.ts', 'on');
  tree.commit('e.ts', 'more');
  repo.git('merge', '-q', 'feature', '-m', 'again');
  assert.equal(await at(repo.root), 'here');
});

test('git runs only for other branches, and once for the same question', async (t) => {
  const { repository } = open(t);
  const branches = new Branches();
  await branches.renew(repository(), [{ branch: 'main' }]);
  assert.equal(branches.view(repository(), [{ branch: 'main' }]), undefined);
  const known = [{ branch: 'other' }];
  await branches.renew(repository(), known);
  const view = branches.view(repository(), known);
  await branches.renew(repository(), known);
  assert.equal(branches.view(repository(), known), view);
});

test('HEAD is read without git: on a branch, detached, packed, and in the past', (t) => {
  const { repo, repository } = open(t);
  const first = repo.git('rev-parse', 'HEAD');
  assert.equal(headCommit(repository()), first);
  repo.git('pack-refs', '--all');
  assert.equal(headCommit(repository()), first);
  repo.git('switch', '-q', '--detach');
  assert.equal(headCommit(repository()), first);
  assert.equal(headAround(repository(), Date.now() + 60_000)?.head, first);
  assert.equal(headAround(repository(), 0), undefined);
});

function open(t: TestContext) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-branches-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const base = join(home, 'work');
  const repo = GitRepo.init(join(base, 'shop'), home);
  repo.commit('a.ts', 'first');
  const repository = () => findRepository(repo.root, home) as Repository;
  const ask = async (made: BranchHead) => {
    const branches = new Branches();
    await branches.renew(repository(), [made]);
    return branchState(branches.view(repository(), [made]), repository().branch, made);
  };
  return { home, base, repo, repository, ask };
}
