import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GitRepo } from '../../../test/support/git-repo.ts';
import { lineOrigin } from './line-origin.ts';
import { findRepository } from './repository.ts';

test('a line leads to its commit, also below lines that are not committed', async (t) => {
  const { repo, origin } = open(t);
  const first = repo.commit('a.ts', 'one\ntwo\n');
  const second = repo.commit('a.ts', 'one\ntwo\nthree\n');
  repo.write('a.ts', 'new\none\ntwo\nnew as well\nthree\n');
  assert.equal((await origin('a.ts', 2)).commit?.sha, first);
  const three = await origin('a.ts', 5);
  assert.equal(three.text, 'three');
  assert.equal(three.commit?.sha, second);
  assert.match(three.commit?.subject ?? '', /^a\.ts: one/);
});

test('a line that is not committed has no commit, but the time of the last one', async (t) => {
  const { repo, origin } = open(t);
  repo.commitAt(new Date('2026-03-01T10:00:00Z'), 'a.ts', 'one\n');
  repo.write('a.ts', 'changed\n');
  assert.deepEqual(await origin('a.ts', 1), { text: 'changed', committedAt: '2026-03-01T10:00:00.000Z' });
  repo.write('b.ts', 'staged\n');
  repo.git('add', 'b.ts');
  assert.deepEqual(await origin('b.ts', 1), { text: 'staged' });
});

test('changes of white space alone do not count, committed or not', async (t) => {
  const { repo, origin } = open(t);
  const first = repo.commit('a.ts', 'call(one, two)\n');
  repo.commit('a.ts', '  call(one,  two)\n');
  repo.write('a.ts', '\tcall( one, two )\r\n');
  assert.equal((await origin('a.ts', 1)).commit?.sha, first);
});

test('a renamed file leads to the commit under its earlier name', async (t) => {
  const { repo, origin } = open(t);
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n');
  const first = repo.commit('old.ts', `${lines}\n`);
  repo.git('mv', 'old.ts', 'new.ts');
  repo.git('commit', '-q', '-m', 'rename');
  const { commit } = await origin('new.ts', 7);
  assert.equal(commit?.sha, first);
  assert.equal(commit?.file, 'old.ts');
});

test('names that git could read as something else are taken as they are', async (t) => {
  const { repo, origin } = open(t);
  for (const name of ['-L', '*.ts', ':(top)x', 'sub folder/ü.ts']) {
    repo.write(name, `in ${name}\n`);
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', `add ${name}`);
    assert.equal((await origin(name, 1)).commit?.subject, `add ${name}`, name);
  }
});

test('a missing file, a missing line and an untracked file are named', async (t) => {
  const { repo, origin } = open(t);
  repo.commit('a.ts', 'one\n');
  repo.write('untracked.ts', 'one\n');
  await assert.rejects(origin('none.ts', 1), { code: 'not-found', message: 'there is no file none.ts' });
  await assert.rejects(origin('a.ts', 2), { code: 'usage', message: 'a.ts has 1 line' });
  await assert.rejects(origin('untracked.ts', 1), {
    code: 'not-found',
    message: 'git does not track untracked.ts',
  });
});

test('a shallow clone says that its oldest commit may not be the origin', async (t) => {
  const { repo, folder } = open(t);
  repo.commit('a.ts', 'one\n');
  repo.commit('b.ts', 'two\n');
  repo.git('clone', '-q', '--depth', '1', `file://${repo.root}`, join(folder, 'clone'));
  const clone = findRepository(join(folder, 'clone'), folder);
  assert.ok(clone);
  assert.equal((await lineOrigin(clone, 'a.ts', 1)).commit?.isOldest, true);
});

function open(t: TestContext) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-line-')));
  t.after(() => rmSync(folder, { recursive: true }));
  const repo = GitRepo.init(join(folder, 'repo'), folder);
  const repository = findRepository(repo.root, folder);
  assert.ok(repository);
  return {
    folder,
    repo,
    origin: (file: string, line: number) => lineOrigin(repository, file, line),
  };
}
