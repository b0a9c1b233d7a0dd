import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GitRepo } from '../../test/support/git-repo.ts';
import { bash, edit, sampleTurn } from '../../test/support/sample-turn.ts';
import { placesIn, type StoredTurn } from '../core/index.ts';
import { localDistiller } from '../distill/index.ts';
import { supersedeMemory } from '../memory/index.ts';
import { blame } from './blame.ts';
import { findRepository } from './git/repository.ts';
import { openStores } from './open-stores.ts';
import { storeTurns } from './store-turn.ts';

const PROJECT = 'engine-abc123';
const DECISION = 'We decided to keep headers under 8 KB because the proxy cuts longer ones.';
/** Minutes after ten o'clock. */
const time = (minutes: number): Date => new Date(Date.parse('2026-03-02T10:00:00Z') + minutes * 60_000);

test('a line leads to the session that made its commit, and to the decision of that turn', async (t) => {
  const { repo, store, story } = await open(t);
  const sha = repo.commitAt(time(4), 'src/a.ts', 'limit = 8;\n', 'Lower the limit');
  await store(0, { session: 'other', prompt: 'rename it', tools: [edit(join(repo.root, 'src/a.ts'))] });
  await store(1, {
    prompt: DECISION,
    tools: [edit(join(repo.root, 'src/a.ts')), committed(sha, 'Lower the limit')],
  });
  const { commit, session, memories } = await story('src/a.ts', 1);
  assert.equal(commit?.sha, sha);
  assert.deepEqual(session && [session.id, session.turn, session.link], [
    'session-1',
    'turn-1',
    'made the commit',
  ]);
  assert.deepEqual(
    memories.map(({ memory, link }) => [memory.kind, memory.state, link]),
    [['decision', 'current', 'same turn']],
  );
});

test('after a rebase the subject of the commit leads to the session', async (t) => {
  const { repo, store, story } = await open(t);
  repo.commitAt(time(90), 'src/a.ts', 'limit = 8;\n', 'Lower the limit of headers');
  await store(1, { tools: [committed('0123456789', 'Lower the limit of headers')] });
  assert.equal((await story('src/a.ts', 1)).session?.link, 'made the commit');
});

test('for a commit by hand, the last session that edited the file before it', async (t) => {
  const { repo, store, story } = await open(t);
  repo.commitAt(time(30), 'src/a.ts', 'const limit = 8;\n', 'By hand');
  await store(1, { session: 'early', tools: [edit(join(repo.root, 'src/a.ts'))] });
  await store(2, { session: 'right', tools: [edit(join(repo.root, 'src/a.ts'))] });
  await store(3, { session: 'namesake', tools: [edit(join(repo.root, 'lib/a.ts'))] });
  await store(50, { session: 'late', tools: [edit(join(repo.root, 'src/a.ts'))] });
  const { session } = await story('src/a.ts', 1);
  assert.deepEqual([session?.id, session?.link], ['right', 'edited this file']);
  const wrote = { ...edit(join(repo.root, 'src/a.ts')), output: '1\tconst limit = 8;' };
  await store(0, { session: 'writer', tools: [wrote] });
  const found = (await story('src/a.ts', 1)).session;
  assert.deepEqual([found?.id, found?.link], ['writer', 'wrote this line']);
});

test('a line that is not committed leads to the session that edited the file since', async (t) => {
  const { repo, store, story } = await open(t);
  repo.commitAt(time(30), 'src/a.ts', 'one\n', 'Start');
  repo.write('src/a.ts', 'two\n');
  await store(1, { session: 'before', tools: [edit(join(repo.root, 'src/a.ts'))] });
  const none = await story('src/a.ts', 1);
  assert.deepEqual([none.commit, none.session], [undefined, undefined]);
  await store(40, { session: 'after', tools: [edit(join(repo.root, 'src/a.ts'))] });
  assert.equal((await story('src/a.ts', 1)).session?.id, 'after');
});

test('decisions of other sessions about the file come last, and ended ones say so', async (t) => {
  const { repo, store, story, stores } = await open(t);
  const sha = repo.commitAt(time(90), 'src/a.ts', 'limit = 8;\n', 'Lower the limit');
  await store(1, { session: 'first', prompt: DECISION, tools: [edit(join(repo.root, 'src/a.ts'))] });
  await store(89, {
    session: 'second',
    prompt: 'We decided to keep cookies in memory because the disk is slow.',
    tools: [edit(join(repo.root, 'src/a.ts')), committed(sha, 'Lower the limit')],
  });
  const [own, other] = (await story('src/a.ts', 1)).memories;
  assert.deepEqual([own?.link, other?.link], ['same turn', 'same file']);
  await supersedeMemory(stores, other?.memory.id ?? '', own?.memory.id ?? '');
  assert.equal((await story('src/a.ts', 1)).memories[1]?.memory.state, 'superseded');
});

test('a line leads to its commit, also below lines that are not committed', async (t) => {
  const { repo, story } = await open(t);
  const first = repo.commit('a.ts', 'one\ntwo\n');
  const second = repo.commit('a.ts', 'one\ntwo\nthree\n');
  repo.write('a.ts', 'new\none\ntwo\nnew as well\nthree\n');
  assert.equal((await story('a.ts', 2)).commit?.sha, first);
  const three = await story('a.ts', 5);
  assert.equal(three.text, 'three');
  assert.equal(three.commit?.sha, second);
  assert.match(three.commit?.subject ?? '', /^a\.ts: one/);
});

test('a line that is not committed has no commit, but the time of the last one', async (t) => {
  const { repo, story } = await open(t);
  repo.commitAt(new Date('2026-03-01T10:00:00Z'), 'a.ts', 'one\n');
  repo.write('a.ts', 'changed\n');
  const changed = await story('a.ts', 1);
  assert.deepEqual(
    [changed.text, changed.commit, changed.committedAt],
    ['changed', undefined, '2026-03-01T10:00:00.000Z'],
  );
  repo.write('b.ts', 'staged\n');
  repo.git('add', 'b.ts');
  const staged = await story('b.ts', 1);
  assert.deepEqual([staged.text, staged.commit, staged.committedAt], ['staged', undefined, undefined]);
});

test('changes of white space alone do not count, committed or not', async (t) => {
  const { repo, story } = await open(t);
  const first = repo.commit('a.ts', 'call(one, two)\n');
  repo.commit('a.ts', '  call(one,  two)\n');
  repo.write('a.ts', '\tcall( one, two )\r\n');
  assert.equal((await story('a.ts', 1)).commit?.sha, first);
});

test('a renamed file leads to the commit under its earlier name', async (t) => {
  const { repo, story } = await open(t);
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n');
  const first = repo.commit('old.ts', `${lines}\n`);
  repo.git('mv', 'old.ts', 'new.ts');
  repo.git('commit', '-q', '-m', 'rename');
  const { commit } = await story('new.ts', 7);
  assert.equal(commit?.sha, first);
  assert.equal(commit?.file, 'old.ts');
});

test('names that git could read as something else are taken as they are', async (t) => {
  const { repo, story } = await open(t);
  for (const name of ['-L', '*.ts', ':(top)x', 'sub folder/ü.ts']) {
    repo.write(name, `in ${name}\n`);
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', `add ${name}`);
    assert.equal((await story(name, 1)).commit?.subject, `add ${name}`, name);
  }
});

test('a missing file, a missing line and an untracked file are named', async (t) => {
  const { repo, story } = await open(t);
  repo.commit('a.ts', 'one\n');
  repo.write('untracked.ts', 'one\n');
  await assert.rejects(story('none.ts', 1), { code: 'not-found', message: 'there is no file none.ts' });
  await assert.rejects(story('a.ts', 2), { code: 'usage', message: 'a.ts has 1 line' });
  await assert.rejects(story('untracked.ts', 1), {
    code: 'not-found',
    message: 'git does not track untracked.ts',
  });
});

test('a shallow clone says that its oldest commit may not be the origin', async (t) => {
  const { repo, home, stores, load } = await open(t);
  repo.commit('a.ts', 'one\n');
  repo.commit('b.ts', 'two\n');
  repo.git('clone', '-q', '--depth', '1', `file://${repo.root}`, join(home, 'clone'));
  const repository = findRepository(join(home, 'clone'), home);
  assert.ok(repository);
  const line = { project: { id: PROJECT }, repository, file: 'a.ts', line: 1 };
  assert.equal((await blame({ index: stores.index, load }, line)).commit?.isOldest, true);
});

test('a message is shown without secrets, control characters and the names that git adds', async (t) => {
  const { repo, story } = await open(t);
  const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
  const body = `The old one was ${token}, and <private>the safe is open</private>.\x1b[31m\u202e`;
  repo.write('a.ts', 'one\n');
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', `Rotate the token\n\n${body}\n\nReviewed-by: Someone`);
  const { commit } = await story('a.ts', 1);
  assert.equal(commit?.subject, 'Rotate the token');
  assert.match(commit?.body ?? '', /^The old one was/);
  assert.doesNotMatch(
    commit?.body ?? '',
    new RegExp(`${token}|safe is open|Someone|[\\x00-\\x08\\x0b-\\x1f\\u202e]`),
  );
});

test('a long message is cut, and one in another encoding is read', async (t) => {
  const { home, repo, story } = await open(t);
  const message = `${'subject '.repeat(100)}\n\n${'word '.repeat(20_000)}`;
  repo.commitAt(time(1), 'long.ts', 'one\n', message);
  const { commit } = await story('long.ts', 1);
  assert.deepEqual([commit?.subject.length, commit?.body.length], [300, 4000]);
  repo.git('config', 'i18n.commitEncoding', 'ISO-8859-1');
  writeFileSync(join(home, 'message'), Buffer.from('Grün, weil es fällt', 'latin1'));
  repo.write('latin.ts', 'two\n');
  repo.git('add', 'latin.ts');
  repo.git('commit', '-q', '-F', join(home, 'message'));
  assert.equal((await story('latin.ts', 1)).commit?.subject, 'Grün, weil es fällt');
});

test('a message too long to redact as a whole is left out, so that no part of a private span is shown', async (t) => {
  const { home, repo, story } = await open(t);
  const hidden = `<private>${'the safe is open '.repeat(10_000)}</private>`;
  writeFileSync(join(home, 'message'), `Subject\n\n${hidden}`);
  repo.write('huge.ts', 'one\n');
  repo.git('add', 'huge.ts');
  repo.git('commit', '-q', '-F', join(home, 'message'));
  const { commit } = await story('huge.ts', 1);
  assert.deepEqual([commit?.subject, commit?.body], ['', '']);
});

test('a replaced commit and a graft do not count', async (t) => {
  const { repo, story } = await open(t);
  const real = repo.commitAt(time(1), 'a.ts', 'one\n', 'The real one');
  const fake = repo.git('commit-tree', repo.git('write-tree'), '-m', 'Fake');
  repo.git('replace', real, fake);
  repo.write('.git/info/grafts', `${real}\n`);
  assert.equal((await story('a.ts', 1)).commit?.subject, 'The real one');
});

function committed(sha: string, subject: string) {
  return {
    ...bash(`git commit -am "${subject}"`),
    output: `[main ${sha.slice(0, 7)}] ${subject}\n 1 file changed`,
  };
}

async function open(t: TestContext) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-blame-')));
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(async () => {
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
    rmSync(home, { recursive: true, force: true });
  });
  const repo = GitRepo.init(join(home, 'repo'), home);
  const repository = findRepository(repo.root, home);
  assert.ok(repository);
  const store = (minutes: number, parts: Partial<StoredTurn>) => {
    const id = `turn-${minutes}`;
    const times = { startedAt: time(minutes).toISOString(), endedAt: time(minutes + 5).toISOString() };
    const turn = sampleTurn({ id, messages: [id], project: PROJECT, cwd: repo.root, ...times, ...parts });
    return storeTurns(stores, localDistiller, [turn], { project: PROJECT, root: repo.root });
  };
  const load = async ({ location }: { location?: Parameters<typeof stores.turns.get>[0] }) =>
    location && stores.turns.get(location);
  const story = (file: string, line: number) =>
    blame({ index: stores.index, load }, { project: { id: PROJECT }, repository, file, line });
  return { home, repo, stores, load, store, story };
}
