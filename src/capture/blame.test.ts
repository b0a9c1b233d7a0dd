import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
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
  return { repo, stores, store, story };
}
