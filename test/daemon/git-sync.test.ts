/** A journal that several computers share by git, with a daemon on each: no memory is lost, and all end up equal. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Memory } from '../../src/core/index.ts';
import { filesOf, memoryFolder } from '../support/damage.ts';
import type { GitRepo } from '../support/git-repo.ts';
import { isAnywhereIn, leaksIn } from '../support/leaks.ts';
import type { Machine } from '../support/machine.ts';
import { waitFor } from '../support/wait-for.ts';
import { bareRepo, commit, Computer, exchange } from './_computers.ts';

test('three named computers that write on the same day end up equal without a merge driver', async (t) => {
  const bare = bareRepo(t);
  const names = ['desk', 'laptop', 'train'];
  const computers = names.map((name) => new Computer(t, { TIDEMARK_JOURNAL_MACHINE: name }));
  const repos = [];
  for (const computer of computers) repos.push(await computer.share(bare, false));
  const titles: string[] = [];
  for (const [at, computer] of computers.entries()) {
    for (const word of ['one', 'two']) {
      titles.push(`We keep the ${names[at]} ${word}`);
      await computer.remember(`We keep the ${names[at]} ${word}`);
    }
  }
  for (const round of [
    [0, 1, 2],
    [2, 0, 1],
    [1, 0, 2],
  ])
    for (const at of round) exchange(repos[at] as GitRepo);
  for (const computer of computers) await computer.knows(titles);
  for (const computer of computers) assert.deepEqual(await computer.problems(), []);
  const own = computers.map(({ machine }) => dayFiles(machine));
  assert.deepEqual(own[0], own[1]);
  const saidBy = ({ title, at }: Memory): string =>
    `${names.find((name) => title.includes(name))} ${day(at)}`;
  assert.equal(
    own[0]?.length,
    new Set((await computers[0]?.written())?.map(saidBy)).size,
    'one file for each',
  );
});

test('a decision that one computer replaces is marked as superseded by its own computer', async (t) => {
  const bare = bareRepo(t);
  const [a, b] = ['desk', 'laptop'].map((name) => new Computer(t, { TIDEMARK_JOURNAL_MACHINE: name })) as [
    Computer,
    Computer,
  ];
  const repos = [await a.share(bare, true), await b.share(bare, true)] as [GitRepo, GitRepo];
  const npm = 'We decided to use npm for installs because everybody has it.';
  await a.session('2026-11-02', [npm, 'Always run the linter before you commit.']);
  exchange(repos[0]);
  exchange(repos[1]);
  await b.session('2026-11-03', [
    'We decided to use pnpm instead of npm for installs because it is faster.',
    'Always run the linter before you commit!',
  ]);
  for (const repo of [repos[1], repos[0], repos[1]]) {
    exchange(repo);
    await a.machine.drained();
    await waitFor('the older to be superseded where it stands', async () =>
      repo === repos[0] ? (await a.known()).some(({ state }) => state === 'superseded') : true,
    );
    commit(repos[0]);
  }
  exchange(repos[0]);
  exchange(repos[1]);
  const states = ({ title, state }: Memory): string => `${/pnpm|npm|linter/.exec(title)?.[0]} ${state}`;
  const all = ['npm superseded', 'pnpm current', 'linter current', 'linter current'];
  for (const computer of [a, b]) await computer.knows(all, states);
  const old = (await b.written()).find(({ state }) => state === 'superseded');
  assert.equal(old?.supersededBy, (await b.written()).find(({ title }) => /pnpm/.test(title))?.id);
  assert.deepEqual([...(await a.problems()), ...(await b.problems())], []);
});

test('without names the merge driver merges a day’s file by entry, with the edits of both sides', async (t) => {
  const { a, b, repoA, repoB } = await pair(t);
  const shared = await a.remember('We keep tokens in the store');
  const other = await a.remember('We deploy on Fridays');
  exchange(repoA);
  exchange(repoB);
  await b.knows(['We keep tokens in the store', 'We deploy on Fridays']);

  // Both offline: the same entry changed on both, another on one, new ones on both.
  await a.cli('edit', shared, '--title', 'Tokens live in the store, says A');
  await b.cli('edit', shared, '--title', 'Tokens live in the store, says B');
  await b.cli('edit', other, '--title', 'We deploy on Mondays');
  await a.remember('A alone knows this');
  await b.remember('B alone knows that');
  exchange(repoA);
  exchange(repoB);
  exchange(repoA);
  const all = [
    'Tokens live in the store, says A',
    'Tokens live in the store, says B',
    'We deploy on Mondays',
    'A alone knows this',
    'B alone knows that',
  ];
  await a.knows(all);
  await b.knows(all);
  assert.equal(dayFiles(a.machine).length, await daysOf(a));
  assert.deepEqual(await a.problems(), []);
  assert.deepEqual(
    (await a.written()).map(({ id }) => id),
    (await b.written()).map(({ id }) => id),
  );
});

test('without the driver a conflict keeps both sides, and resolving it by hand loses nothing', async (t) => {
  const { a, b, repoA, repoB } = await pair(t, false);
  await a.remember('A says this');
  exchange(repoA);
  exchange(repoB);
  await a.remember('A goes on');
  await b.remember('B goes on');
  exchange(repoA);
  commit(repoB);
  repoB.git('fetch', '-q', 'shared', 'main');
  assert.throws(() => repoB.git('merge', '-q', 'FETCH_HEAD'));
  await b.knows(['A says this', 'A goes on', 'B goes on']);
  for (const path of filesOf(b.machine, 'memories'))
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^(?:<{7}|={7}|>{7}).*\n/gm, ''));
  exchange(repoB);
  exchange(repoA);
  for (const computer of [a, b]) await computer.knows(['A says this', 'A goes on', 'B goes on']);
});

test('a memory forgotten on one computer is forgotten on all, and no merge, branch or old copy restores it', async (t) => {
  const { a, b, repoA, repoB } = await pair(t);
  const secret = await a.remember('We call it quokkaberry');
  await a.remember('We keep logs');
  exchange(repoA);
  exchange(repoB);
  await b.knows(['We call it quokkaberry', 'We keep logs']);

  // While one forgets it the other, offline, writes to it: a merge alone would keep that.
  await a.cli('forget', secret, '--now');
  await b.cli('edit', secret, '--title', 'We call it quokkaberry still');
  exchange(repoA);
  exchange(repoB);
  await b.knows(['We keep logs']);
  await isGoneFrom(b, 'quokkaberry');
  exchange(repoB);
  exchange(repoA);
  await a.knows(['We keep logs']);

  // An old state of the files, as a branch or a stash brings it.
  repoB.git('checkout', '-q', 'HEAD~3', '--', '.');
  await b.machine.drained();
  await b.knows(['We keep logs']);
  await isGoneFrom(a, 'quokkaberry');
});

test('a memory whose forgetting is undone within the day is back on all computers', async (t) => {
  const { a, b, repoA, repoB } = await pair(t);
  const id = await a.remember('We keep the cache');
  exchange(repoA);
  exchange(repoB);
  await b.knows(['We keep the cache']);
  await a.cli('forget', id);
  exchange(repoA);
  exchange(repoB);
  await b.knows([]);
  await a.cli('forget', id, '--undo');
  exchange(repoA);
  exchange(repoB);
  for (const computer of [a, b]) await computer.knows(['We keep the cache']);
});

for (const renames of ['sees', 'does not see']) {
  test(`one computer archives an old day while the other writes to it; git ${renames} the move`, async (t) => {
    const { a, b, repoA, repoB } = await pair(t);
    const id = await a.remember('We keep the cache');
    await a.remember('We keep the logs');
    const [today = ''] = dayFiles(a.machine);
    const old = join(today.split('/')[0] ?? '', '2026-01-05.md');
    const file = join(memoryFolder(a.machine), today);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(today.slice(-13, -3), '2026-01-05'));
    renameSync(file, join(memoryFolder(a.machine), old));
    // With much else in the month git does not take the archive for the day under another name.
    const other = Array.from({ length: renames === 'sees' ? 0 : 60 }, (_, i) => `We keep thing number ${i}`);
    const next = join(memoryFolder(a.machine), old.replace('05.md', '06.md'));
    if (other.length > 0) writeFileSync(next, other.map((title) => `### decision: ${title}\n`).join('\n'));
    const before = [...other, 'We keep the cache', 'We keep the logs'];
    await a.knows(before);
    await a.machine.call('journal.adopt', {});
    exchange(repoA);
    exchange(repoB);
    await b.knows(before);
    assert.match(await a.cli('archive', '--days', '30'), /Moved [12] days?/);
    await b.cli('edit', id, '--title', 'We keep the cache for a day');
    exchange(repoA);
    if (renames === 'does not see') {
      commit(repoB);
      repoB.git('fetch', '-q', 'shared', 'main');
      // Taken away there, written to here: git asks, and keeps the file.
      assert.throws(() => repoB.git('merge', '-q', 'FETCH_HEAD'));
      assert.ok(existsSync(join(memoryFolder(b.machine), old)));
    }
    exchange(repoB);
    exchange(repoA);
    // Where git kept the day too, it is folded again, entry by entry.
    await b.cli('archive', '--days', '30');
    exchange(repoB);
    exchange(repoA);
    for (const computer of [a, b])
      await computer.knows([...other, 'We keep the cache for a day', 'We keep the logs']);
  });
}

test('a branch without the journal hides memories, switching back restores them; so does a stash', async (t) => {
  const computer = new Computer(t);
  const { project } = computer;
  project.commit('README.md', 'hello');
  await computer.remember('Known on main');
  const said = await computer.machine.cli(['journal', 'in-repository']);
  assert.equal(said.code, 0, said.stderr);
  assert.match(said.stderr, /not from git’s history/);
  assert.match(said.stdout, /\d+ files there are not committed yet/);
  assert.ok(existsSync(join(project.root, '.tidemark', 'journal')));
  await computer.knows(['Known on main']);

  project.git('checkout', '-q', '-b', 'before');
  project.git('checkout', '-q', '-b', 'with-journal');
  commit(project);
  project.git('checkout', '-q', 'before');
  await computer.knows([]);
  project.git('checkout', '-q', 'with-journal');
  await computer.knows(['Known on main']);
  await computer.remember('Not committed yet');
  await computer.knows(['Known on main', 'Not committed yet']);
  project.git('stash', '-q', '-u');
  await computer.knows(['Known on main']);
  project.git('stash', 'pop', '-q');
  await computer.knows(['Known on main', 'Not committed yet']);

  // A linked work tree is temporary: its memories go into the journal of the main one.
  const linked = project.worktree(join(computer.machine.root, 'linked'), 'feature');
  const { code, stderr } = await computer.machine.cli(['remember', 'Said in a work tree'], {
    cwd: linked.root,
  });
  assert.equal(code, 0, stderr);
  await computer.knows(['Known on main', 'Not committed yet', 'Said in a work tree']);

  await computer.cli('journal', 'back');
  assert.match(await computer.cli('journal'), /in the data folder/);
  await computer.knows(['Known on main', 'Not committed yet', 'Said in a work tree']);
  project.git('checkout', '-q', '--force', 'before');
  await computer.knows(['Known on main', 'Not committed yet', 'Said in a work tree']);
});

test('two clones keep the journal in their repository and exchange it with the code', async (t) => {
  const bare = bareRepo(t);
  const [a, b] = [new Computer(t), new Computer(t)];
  for (const { project } of [a, b]) project.git('remote', 'add', 'shared', bare.root);
  a.project.commit('README.md', 'hello');
  await a.remember('A knew this before');
  await a.cli('journal', 'in-repository');
  exchange(a.project);
  await b.remember('B knew that before');
  exchange(b.project);
  assert.match(await b.cli('journal'), /The repository also contains a journal/);
  await b.cli('journal', 'in-repository');
  await b.knows(['A knew this before', 'B knew that before']);
  await a.remember('A goes on');
  exchange(a.project);
  await b.remember('B goes on');
  exchange(b.project);
  exchange(a.project);
  const all = ['A knew this before', 'B knew that before', 'A goes on', 'B goes on'];
  for (const computer of [a, b]) await computer.knows(all);

  const { folder } = await a.machine.json<{ folder: string }>('backup');
  assert.ok(isAnywhereIn(folder, 'A knew this before'), 'a snapshot holds what is kept elsewhere');
  const out = join(a.machine.root, 'out');
  await a.cli('export', '--format', 'markdown', '--to', out);
  assert.equal(
    readdirSync(out, { recursive: true }).filter((name) => /\d\.md$/.test(String(name))).length,
    await daysOf(a),
  );
});

test('the copy that a syncing tool makes of a file is merged by entry and removed', async (t) => {
  const computer = new Computer(t);
  const folder = join(computer.machine.root, 'synced');
  const id = await computer.remember('We keep the cache');
  await computer.cli('journal', 'move', folder);
  const [day = ''] = readdirSync(folder).filter((name) => /^\d.*\.md$/.test(name));
  const text = readFileSync(join(folder, day), 'utf8');
  await computer.remember('Said here meanwhile');
  const copy = join(folder, day.replace('.md', '.sync-conflict-20261115-101500-ABCDEFG.md'));
  writeFileSync(
    copy,
    text.replace('We keep the cache', 'We keep the cache, said elsewhere') + '\n### use pnpm\n',
  );
  await waitFor('the copy to be taken in', () => !existsSync(copy), {
    explain: () => computer.machine.logs(),
  });
  await computer.machine.drained();
  const written = await computer.written();
  const titles = written.map(({ title }) => title);
  assert.ok(titles.includes('use pnpm') && titles.includes('Said here meanwhile'), titles.join());
  assert.ok(titles.includes('We keep the cache, said elsewhere'), titles.join());
  assert.ok(written.some((memory) => memory.id === id));
  assert.deepEqual(await computer.problems(), []);
});

async function pair(t: TestContext, merging = true) {
  const bare = bareRepo(t);
  const [a, b] = [new Computer(t), new Computer(t)];
  await a.machine.up();
  await b.machine.up();
  const [repoA, repoB] = [await a.share(bare, merging), await b.share(bare, merging)];
  return { a, b, repoA, repoB };
}

/** How many days its entries are of: a test may run over midnight. */
async function daysOf(computer: Computer): Promise<number> {
  return new Set((await computer.written()).map(({ at }) => day(at))).size;
}

function day(at: string): string {
  return at.slice(0, 'YYYY-MM-DD'.length);
}

function dayFiles(machine: Machine): readonly string[] {
  const folder = memoryFolder(machine);
  return filesOf(machine, 'memories').map((path) => path.slice(folder.length + 1));
}

/** Its files come one after the other with a merge, and the index is rid of its words only after the last of them. */
function isGoneFrom({ machine }: Computer, word: string): Promise<unknown> {
  const found = () => leaksIn(machine.places.home, [{ name: 'word', text: word }]).filter(notGit);
  return waitFor('the word to be in no file', () => found().length === 0, { explain: () => found().join() });
}

function notGit(where: string): boolean {
  return !where.includes('.git/');
}
