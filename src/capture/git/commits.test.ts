import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GitRepo } from '../../../test/support/git-repo.ts';
import { changedFiles, listCommits, readCommits } from './commits.ts';
import { ReadBudget } from './file-states.ts';

test('messages are read with their time and files, without the author', async (t) => {
  const { repo, at } = open(t);
  repo.commit('src/a.ts', 'one');
  repo.write('src/b.ts', 'two');
  repo.git('add', '-A');
  repo.git(
    'commit',
    '-q',
    '-m',
    'Split b off\n\nTwo parts changed for different reasons.\n\nReviewed-by: Someone',
  );
  const [sha = '', first = ''] = (await listCommits(at, 'HEAD', 10)) ?? [];
  const [commit] = (await readCommits(at, [sha])) ?? [];
  assert.deepEqual(
    { ...commit, at: '' },
    { sha, at: '', subject: 'Split b off', body: 'Two parts changed for different reasons.' },
  );
  assert.match(commit?.at ?? '', /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(
    await changedFiles(at, [sha, first]),
    filesOf({ [sha]: ['src/b.ts'], [first]: ['src/a.ts'] }),
  );
});

test('only commits of HEAD are listed, the newest first, up to the limit', async (t) => {
  const { repo, at } = open(t);
  const [one, two] = [repo.commit('a', '1'), repo.commit('a', '2')];
  repo.git('switch', '-q', '-c', 'side');
  const side = repo.commit('b', '3');
  repo.git('switch', '-q', 'main');
  assert.deepEqual(await listCommits(at, 'HEAD', 10), [two, one]);
  assert.deepEqual(await listCommits(at, 'HEAD', 1), [two]);
  assert.deepEqual(await listCommits(at, side, 10, two), [side]);
  assert.equal(await listCommits(at, 'HEAD', 10, 'f'.repeat(40)), undefined);
});

test('a message cannot pose as another commit, whatever characters it has', async (t) => {
  const { repo, at } = open(t);
  const real = repo.commit('a', '1');
  const lie = `${real} commit 40\ncommitter x <x> 1 +0000\n\nA lie about it`;
  const sha = commitObject(repo, `Real\x1b[31m subject\x07\n\n${lie}\n\x1e\x1f\x01\u202e`);
  const read = (await readCommits(at, [sha, real])) ?? [];
  assert.deepEqual(
    read.map((commit) => commit.sha),
    [sha, real],
  );
  assert.equal(read[0]?.subject, 'Real subject');
  assert.doesNotMatch(read[0]?.body ?? '', /[\x00-\x08\x0b-\x1f\u202e]/);
  assert.match(read[1]?.subject ?? '', /^a: 1/);
});

test('secrets in a message and in a file name are redacted', async (t) => {
  const { repo, at } = open(t);
  const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
  repo.write(`${token}.txt`, 'x');
  repo.git('add', '-A');
  repo.git(
    'commit',
    '-q',
    '-m',
    `Rotate the token\n\nThe old one was ${token}, and <private>the safe is open</private>.`,
  );
  const [sha = ''] = (await listCommits(at, 'HEAD', 1)) ?? [];
  const found = JSON.stringify([await readCommits(at, [sha]), [...(await changedFiles(at, [sha]))]]);
  assert.doesNotMatch(found, new RegExp(token));
  assert.doesNotMatch(found, /safe is open/);
  assert.match(found, /Rotate the token/);
});

test('a revert keeps the hash that it names', async (t) => {
  const { repo, at } = open(t);
  const bad = repo.commit('a', '1');
  const sha = commitObject(repo, `Revert "a"\n\nThis reverts commit ${bad}.\n`);
  const [commit] = (await readCommits(at, [sha])) ?? [];
  assert.equal(commit?.body, `This reverts commit ${bad}.`);
});

test('a huge message is skipped and a long one is cut', async (t) => {
  const { repo, at } = open(t);
  const huge = commitObject(repo, `Huge\n\n${'word '.repeat(8_000)}`);
  const long = commitObject(repo, `${'subject '.repeat(100)}\n\n${'word '.repeat(5_000)}`);
  const small = repo.commit('a', '1');
  const read = (await readCommits(at, [huge, long, small])) ?? [];
  assert.deepEqual(
    read.map(({ sha }) => sha),
    [long, small],
  );
  assert.equal(read[0]?.body.length, 4000);
  assert.equal(read[0]?.subject.length, 300);
});

test('no more is read than the budget allows', async (t) => {
  const { repo, at } = open(t);
  const shas = [repo.commit('a', '1'), repo.commit('a', '2'), repo.commit('a', '3')];
  const size = Number(repo.git('cat-file', '-s', 'HEAD'));
  const read = await readCommits(at, shas, new ReadBudget(2 * size));
  assert.deepEqual(
    read?.map(({ sha }) => sha),
    shas.slice(0, 2),
  );
});

test('a message in another encoding and bytes that are no text are read', async (t) => {
  const { repo, at } = open(t);
  const head = 'author a <a> 1 +0000\ncommitter a <a> 1700000000 +0100\n';
  const tree = repo.git('write-tree');
  const write = (object: Buffer) => {
    const path = join(repo.root, 'object');
    repo.write('object', '');
    writeFileSync(path, object);
    return repo.git('hash-object', '-t', 'commit', '-w', '--literally', 'object');
  };
  const latin = write(
    Buffer.from(`tree ${tree}\n${head}encoding ISO-8859-1\n\nGrün, weil es fällt\n`, 'latin1'),
  );
  const broken = write(
    Buffer.concat([Buffer.from(`tree ${tree}\n${head}\nBroken `), Buffer.from([0xff, 0xfe])]),
  );
  const timeless = write(Buffer.from(`tree ${tree}\ncommitter a <a> 99999999999999999 +0000\n\nNever`));
  const read = (await readCommits(at, [latin, broken, timeless])) ?? [];
  assert.deepEqual(
    read.map(({ subject }) => subject),
    ['Grün, weil es fällt', 'Broken \ufffd\ufffd'],
  );
  assert.equal(read[0]?.at, '2023-11-14T22:13:20.000Z');
});

test('a replaced commit and a graft do not count', async (t) => {
  const { repo, at } = open(t);
  const one = repo.commit('a', '1');
  const two = repo.commit('a', '2');
  const fake = commitObject(repo, 'Fake\n\nBecause it says so, in many words.');
  repo.git('replace', two, fake);
  repo.write('.git/info/grafts', `${two}\n`);
  assert.deepEqual(await listCommits(at, 'HEAD', 10), [two, one]);
  const [commit] = (await readCommits(at, [two])) ?? [];
  assert.match(commit?.subject ?? '', /^a: 2/);
});

test('a commit of many files names the first ones and counts the rest', async (t) => {
  const { repo, at } = open(t);
  for (let i = 0; i < 30; i++) repo.write(`file-${String(i).padStart(2, '0')}`, 'x');
  const sha = repo.commit(`${'f'.repeat(40)}`, 'a name like a hash');
  const found = (await changedFiles(at, [sha])).get(sha);
  assert.equal(found?.files.length, 20);
  assert.equal(found?.moreFiles, 11);
});

test('without a repository nothing is found', async (t) => {
  const { folder } = open(t);
  const at = { root: folder };
  assert.equal(await listCommits(at, 'HEAD', 10), undefined);
  assert.equal(await readCommits(at, ['f'.repeat(40)]), undefined);
  assert.deepEqual(await changedFiles(at, ['f'.repeat(40)]), new Map());
});

function filesOf(files: Readonly<Record<string, readonly string[]>>) {
  return new Map(Object.entries(files).map(([sha, names]) => [sha, { files: names, moreFiles: 0 }]));
}

function commitObject(repo: GitRepo, message: string): string {
  repo.write('../message', message);
  return repo.git('commit-tree', repo.git('write-tree'), '-F', '../message');
}

function open(t: TestContext) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-commits-')));
  t.after(() => rmSync(folder, { recursive: true }));
  const repo = GitRepo.init(join(folder, 'repo'), folder);
  return { folder, repo, at: { root: repo.root } };
}
