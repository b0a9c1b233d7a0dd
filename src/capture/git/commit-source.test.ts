import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GitRepo } from '../../../test/support/git-repo.ts';
import { placesIn } from '../../core/index.ts';
import { queryWords, tokensOf } from '../../database/index.ts';
import { openStores } from '../open-stores.ts';
import { EVERYWHERE, projectOfFolder, type CaptureScope } from '../projects/projects.ts';
import { CommitSource } from './commit-source.ts';

const REASON = 'because the proxy cuts long lines';

test('commits with a reason are stored, with their files', async (t) => {
  const { repo, read, subjects } = await open(t);
  repo.commit('src/a.ts', 'one');
  commit(repo, 'src/b.ts', `Wrap lines ${REASON}`);
  await read();
  assert.deepEqual(subjects(), [`Wrap lines ${REASON} [src/b.ts]`]);
});

test('the next reading adds new commits and reads no other', async (t) => {
  const { repo, read, subjects, facts } = await open(t);
  commit(repo, 'a', `One ${REASON}`);
  await read();
  commit(repo, 'b', `Two ${REASON}`);
  await read();
  assert.deepEqual(subjects(), [`One ${REASON} [a]`, `Two ${REASON} [b]`]);
  await read();
  assert.deepEqual(
    facts.map(({ stored, removed }) => [stored, removed]),
    [
      [1, 0],
      [1, 0],
    ],
    'the third reading had nothing to do',
  );
});

test('commits of a rewritten history are removed, also when git has deleted them', async (t) => {
  const { repo, read, subjects } = await open(t);
  commit(repo, 'a', `One ${REASON}`);
  commit(repo, 'b', `Secret plan ${REASON}`);
  await read();
  repo.git('commit', '-q', '--amend', '-m', `Plan ${REASON}`);
  repo.git('reflog', 'expire', '--expire=now', '--all');
  repo.git('gc', '-q', '--prune=now');
  await read();
  assert.deepEqual(subjects(), [`One ${REASON} [a]`, `Plan ${REASON} [b]`]);
});

test('after a switch of branches the commits are those of HEAD', async (t) => {
  const { repo, read, subjects } = await open(t);
  commit(repo, 'a', `One ${REASON}`);
  repo.git('switch', '-q', '-c', 'side');
  commit(repo, 'b', `Side ${REASON}`);
  await read();
  repo.git('switch', '-q', 'main');
  await read();
  assert.deepEqual(subjects(), [`One ${REASON} [a]`]);
  repo.git('switch', '-q', 'side');
  await read();
  assert.deepEqual(subjects(), [`One ${REASON} [a]`, `Side ${REASON} [b]`]);
});

test('an excluded project loses its commits and gets none', async (t) => {
  const { repo, read, subjects, settings } = await open(t);
  commit(repo, 'a', `One ${REASON}`);
  await read();
  for (const setting of ['commits', 'capture'] as const) {
    settings[setting] = false;
    await read();
    assert.deepEqual(subjects(), [], setting);
    settings[setting] = true;
    await read();
    assert.equal(subjects().length, 1, setting);
  }
  repo.write('.tidemark-ignore', '');
  await read();
  assert.deepEqual(subjects(), []);
});

test('a folder of no known project is not read', async (t) => {
  const { repo, source, subjects } = await open(t, { known: false });
  commit(repo, 'a', `One ${REASON}`);
  source.wake(repo.root);
  await source.idle();
  assert.deepEqual(subjects(), []);
});

test('projects that were never read are found by themselves, once', async (t) => {
  const { repo, source, subjects, facts } = await open(t);
  commit(repo, 'a', `One ${REASON}`);
  for (let i = 0; i < 2; i++) {
    await source.wakeAll();
    await source.idle();
  }
  assert.equal(subjects().length, 1);
  assert.equal(facts.length, 1);
});

test('a history longer than one step is read completely, and stopping leaves no mark', async (t) => {
  const { repo, source, read, subjects, facts } = await open(t);
  const tree = repo.git('write-tree');
  let parent = repo.commit('a', '1');
  for (let i = 0; i < 130; i++)
    parent = repo.git('commit-tree', tree, '-p', parent, '-m', `Step ${i} ${REASON}`);
  repo.git('reset', '-q', '--soft', parent);
  source.wake(repo.root);
  await source.stop();
  assert.equal(facts.length, 0);
  await read();
  assert.equal(subjects().length, 130);
});

function commit(repo: GitRepo, file: string, message: string): void {
  repo.write(file, message);
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', message);
}

async function open(t: TestContext, { known = true } = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-source-')));
  const { stores } = await openStores(placesIn(join(home, 'data')));
  t.after(async () => {
    await Promise.all([stores.journal.close(), stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
    rmSync(home, { recursive: true });
  });
  const repo = GitRepo.init(join(home, 'repo'), home);
  const settings = { commits: true, capture: true };
  const scope: CaptureScope = { ignore: [], isEnabled: () => settings.capture };
  const facts: { readonly stored: number; readonly removed: number }[] = [];
  const make = () =>
    new CommitSource({
      use: async (work) => work(stores),
      scope,
      isEnabled: () => settings.commits,
      tell: (what, told) => {
        assert.match(what, /^commits (?:read|removed)$/);
        if (what === 'commits read') facts.push(told as (typeof facts)[number]); // as the source sends them
      },
    });
  const source = make();
  const { project } = await projectOfFolder(stores, repo.root, new Date().toISOString(), EVERYWHERE);
  if (!known) stores.index.upsertProject({ ...project, keys: [], paths: [] });
  return {
    repo,
    source,
    settings,
    facts,
    read: async () => {
      const again = make();
      again.wake(repo.root);
      await again.idle();
    },
    subjects: () =>
      stores.index
        .searchCommits(queryWords('proxy').flatMap(tokensOf), { project: project.id }, 1000)
        .map(({ commit: { subject, files } }) => `${subject} [${files.join()}]`)
        .toSorted(),
  };
}
