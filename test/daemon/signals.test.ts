/** Signals about memories reach hooks and verbs: changed files, other branches, use. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import type { Moment, Hit } from '../../src/recall/index.ts';
import { Machine, type Machine as Computer } from '../support/machine.ts';
import { inventedDecision } from '../support/synthetic-transcript.ts';
import { importPast, liveSession, makeRepository, remember, writePast } from './_signals-world.ts';

const TITLE = 'Refresh tokens rotate on every use';
const BODY =
  'A stolen token dies at first reuse; a grace window of seventeen seconds covers the cold start of the mobile app.';
/** More than a brief has room for: a prompt may bring the entry whole. */
const FACTS = ['The server keeps families of tokens.'];
const ASK = 'Why do refresh tokens rotate on every use, and where?';

test('a memory says that its file changed, at the prompt, in the brief, in search and show; never before', async (t) => {
  const machine = Machine.open(t);
  const repo = makeRepository(machine, ['src/auth.ts', 'src/other.ts']);
  await machine.up();
  const { id } = await remember(machine, {
    title: TITLE,
    body: BODY,
    facts: FACTS,
    files: ['src/auth.ts', 'src/other.ts'],
  });

  const fresh = await liveSession(machine, { prompt: ASK, answer: 'See the code.' });
  assert.match(fresh.context, new RegExp(TITLE));
  assert.doesNotMatch(fresh.context + fresh.brief, /\.ts (?:changed since|is gone)/);

  repo.write('src/auth.ts', 'export const rotation = 2;\n');
  const stale = await liveSession(machine, { prompt: ASK, answer: 'See the code.' });
  assert.match(stale.context, /Check first: src\/auth\.ts changed since\./);
  assert.match(stale.brief, new RegExp(`${shortId(id)}; src/auth\\.ts changed since\\)`));
  const [hit] = await find(machine, 'refresh tokens rotate');
  assert.deepEqual(changesOf(hit), ['src/auth.ts changed']);
  assert.ok(hit?.parts.some(({ name, factor }) => name === 'files changed' && factor === 0.95));

  repo.remove('src/auth.ts');
  const { stdout } = await machine.cli(['show', id]);
  assert.match(stdout, /Since then: src\/auth\.ts is gone/);
  repo.git('checkout', '-q', 'src/auth.ts');
  const [shown] = await machine.json<readonly Pick<Hit, 'changes'>[]>('show', id);
  assert.deepEqual(shown?.changes, [], 'what is as it was again has not changed');
});

test('imported memories say which files are unchanged, and claim nothing about others', async (t) => {
  const machine = Machine.open(t);
  const repo = makeRepository(machine, ['src/old.ts', 'src/touched.ts']);
  repo.write('src/touched.ts', '// written to after the session\n');
  writePast(machine, [
    {
      name: 'past',
      branch: 'main',
      start: '2026-03-02T09:00:00.000Z',
      files: ['src/old.ts', 'src/touched.ts'],
    },
  ]);
  await importPast(machine);
  repo.write('src/old.ts', '// new\n');
  repo.write('src/touched.ts', '// newer\n');
  assert.deepEqual(changesOf((await find(machine, inventedDecision('past-0').word))[0]), [
    'src/old.ts changed',
  ]);
  assert.deepEqual((await find(machine, inventedDecision('past-1').word))[0]?.changes, []);
});

test('git knows the state of a changed file at the time of a past session', async (t) => {
  const machine = Machine.open(t);
  const repo = makeRepository(machine, ['src/edited.ts', 'src/loose.ts']);
  // The sessions come after the log of HEAD begins, and before the files were written to again.
  const start = new Date().toISOString();
  writePast(machine, [{ name: 'past', branch: 'main', start, files: ['src/edited.ts', 'src/loose.ts'] }]);
  const soon = new Date(Date.now() + 3_600_000);
  repo.commitAt(soon, 'src/edited.ts', '// as the session left it\n');
  repo.write('src/loose.ts', '// another\n');
  for (const file of ['src/edited.ts', 'src/loose.ts']) utimesSync(join(repo.root, file), soon, soon);
  await importPast(machine);
  const changes = async (name: string) => changesOf((await find(machine, inventedDecision(name).word))[0]);
  assert.deepEqual(await changes('past-0'), [], 'committed after the session as it left it');
  assert.deepEqual(await changes('past-1'), [], 'edited and never committed: nothing is claimed');
  repo.write('src/edited.ts', '// later\n');
  assert.deepEqual(await changes('past-0'), ['src/edited.ts changed']);
});

test('work trees share memories; those of an unmerged branch rank lower until it is merged', async (t) => {
  const machine = Machine.open(t);
  const repo = makeRepository(machine, ['src/auth.ts']);
  const tree = repo.worktree(join(machine.root, 'tree'), 'feature');
  await machine.up();
  await liveSession(machine, {
    prompt: 'We decided to keep the ledger in cents because floats lose them.',
    answer: 'Understood, cents it is.',
    root: tree.root,
    branch: 'feature',
  });
  tree.commit('src/money.ts', 'cents');
  const seenFrom = async (dir: string): Promise<boolean | undefined> => {
    const [hit] = await find(machine, 'ledger in cents', dir);
    return hit?.parts.some(({ name }) => name === 'branch not merged');
  };
  assert.equal(await seenFrom(tree.root), false, 'in its own work tree');
  assert.equal(await seenFrom(repo.root), true, 'elsewhere');
  repo.git('merge', '-q', '--no-ff', 'feature', '-m', 'merge');
  assert.equal(await seenFrom(repo.root), false, 'merged');
  repo.git('worktree', 'remove', '--force', tree.root);
  repo.git('branch', '-d', 'feature');
  assert.equal(await seenFrom(repo.root), false, 'merged and deleted');
  assert.equal((await machine.json<unknown[]>('projects')).length, 1, 'one project');
});

test('an opened memory is marked in why, counted by stats, and ranks higher', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const { id } = await remember(machine, { title: TITLE, body: BODY });
  const { session } = await liveSession(machine, { prompt: ASK, answer: 'See the code.' });
  await liveSession(machine, { prompt: ASK, answer: 'I would have to look at the code first.' });
  await machine.call('opened', { session, memories: [id] });

  const moments = await why(machine, [id]);
  assert.deepEqual(
    moments.map((one) => one.memories.some(({ opened }) => opened)),
    moments.map((one) => one.session === session),
  );
  const byWords = await why(machine, ['tokens', 'rotate']);
  assert.deepEqual(new Set(byWords.map(({ where }) => where)), new Set(['prompt']));
  assert.equal(byWords.length, 2);
  assert.match((await machine.cli(['stats'])).stdout, /injected \d+ times, opened 1 time;/);
  const [hit] = await find(machine, 'refresh tokens rotate');
  assert.ok(
    hit?.parts.some(({ name, factor }) => name === 'opened' && factor > 1),
    JSON.stringify(hit?.parts),
  );
});

function changesOf(hit: Hit | undefined): readonly string[] | undefined {
  return hit?.changes.map(({ file, how }) => `${file} ${how}`);
}

async function find(machine: Computer, query: string, dir = machine.project): Promise<readonly Hit[]> {
  const { stdout } = await machine.askIn(dir, 'search', query, '--json');
  return (JSON.parse(stdout) as { hits: readonly Hit[] }).hits;
}

async function why(machine: Computer, args: readonly string[]): Promise<readonly Moment[]> {
  const { code, stdout, stderr } = await machine.cli(['why', ...args, '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as readonly Moment[];
}
