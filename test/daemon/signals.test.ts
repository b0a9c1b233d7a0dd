/** Signals about memories reach hooks and verbs: changed files, other branches, use. */
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import { noteInstruction } from '../../src/distill/index.ts';
import type { Impact, Moment, Hit } from '../../src/recall/index.ts';
import { Machine, type Machine as Computer } from '../support/machine.ts';
import { inventedDecision, type SyntheticTool } from '../support/synthetic-transcript.ts';
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

test('an answer that repeats an injected memory is an echo; why and stats --impact report it', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const { id } = await remember(machine, { title: TITLE, body: BODY, facts: FACTS });
  const echoing = await liveSession(machine, {
    prompt: ASK,
    answer:
      'So that a stolen token dies at first reuse; the grace window is seventeen seconds for a mobile cold start.',
  });
  await liveSession(machine, { prompt: ASK, answer: 'I would have to look at the code first.' });

  const moments = await why(machine, [id]);
  assert.deepEqual(
    moments.map(
      ({ session, memories }) => session === echoing.session && memories.some(({ echoed }) => echoed),
    ),
    moments.map(({ session }) => session === echoing.session),
  );
  const byWords = await why(machine, ['tokens', 'rotate']);
  assert.deepEqual(new Set(byWords.map(({ where }) => where)), new Set(['prompt']));
  assert.equal(byWords.length, 2);

  const impact = await impactOf(machine);
  assert.deepEqual(impact.byPlace['prompt'], { shown: 2, opened: 0, echoed: 1 });
  assert.deepEqual(Object.keys(impact.byKind), ['decision']);
  assert.equal(impact.groups.recalled.sessions, 2);
  assert.match(impact.warnings.join(), /No session was held out/);
  const [hit] = await find(machine, 'refresh tokens rotate');
  assert.ok(
    hit?.parts.some(({ name, factor }) => name === 'use' && factor > 1),
    JSON.stringify(hit?.parts),
  );
});

test('a command or an edit that follows an injected memory is an echo, and the memory ranks higher', async (t) => {
  const machine = Machine.open(t);
  await machine.up();
  const pnpm = await remember(machine, {
    kind: 'preference',
    title: 'Use pnpm, not npm, in the billing workspace',
    body: BODY,
    facts: FACTS,
  });
  const batches = await remember(machine, {
    title: 'Ledger uploads are cut into chunks of 350 by splitLedger',
    body: BODY,
    facts: FACTS,
  });
  const bash = (command: string) => ({ name: 'Bash', input: { command }, output: `${command}: done` });
  const edit = (text: string) => ({
    name: 'Edit',
    input: { file_path: join(machine.project, 'src/upload.ts'), old_string: 'upload(all)', new_string: text },
    output: 'The file has been updated.',
  });
  const install = 'Add lodash to the billing workspace, please';
  const upload = 'The ledger uploads time out: are they cut into chunks, and how large?';
  const session = async (prompt: string, ...tools: readonly SyntheticTool[]) => {
    const told = await liveSession(machine, { prompt, answer: 'Done.', tools });
    return { ...told, used: await usesIn(machine, told.session) };
  };

  const against = await session(install, bash('npm install lodash'));
  assert.match(against.context, /Use pnpm, not npm/);
  assert.deepEqual(against.used, []);
  const [before] = await find(machine, 'pnpm billing workspace');
  const followed = await session(install, bash('cd billing && pnpm add lodash'));
  assert.deepEqual(followed.used, [[pnpm.id, 'echoed']]);
  const [after] = await find(machine, 'pnpm billing workspace');
  assert.ok((after?.score ?? 0) > (before?.score ?? 0), `${before?.score} → ${after?.score}`);

  const elsewhere = await session(upload, edit('upload(all, { timeout: 900 })'));
  assert.match(elsewhere.context, /chunks of 350/);
  assert.deepEqual(elsewhere.used, []);
  const edited = await session(upload, edit('for (const chunk of splitLedger(all, 350)) upload(chunk)'));
  assert.deepEqual(edited.used, [[batches.id, 'echoed']]);
  const impact = await impactOf(machine);
  assert.deepEqual(impact.byPlace['prompt'], { shown: 4, opened: 0, echoed: 2 });

  const { stdout: said } = await machine.ask('transcript', edited.session, '--tools', '--json');
  assert.match(said, /upload/);
  assert.doesNotMatch(said, /splitLedger/, 'the text of an edit is not stored');
});

test('a held-out session gets no memories, is captured nevertheless, and `why` says so', async (t) => {
  const machine = Machine.open(t, { TIDEMARK_RECALL_HOLDOUT: '0.5' });
  await machine.up();
  await remember(machine, { title: TITLE, body: BODY });
  const told = [];
  // Hashes of 0x41… and 0xf2…: one is out, one is in.
  for (const session of ['held-2', 'held-1'])
    told.push(await liveSession(machine, { session, prompt: ASK, answer: 'See the code.' }));
  // The instruction for notes is part of capture: without memories it is all that a session gets.
  const held = told.filter(({ brief, context }) => brief === noteInstruction('answer') && context === '');
  assert.equal(held.length, 1, JSON.stringify(told));
  const session = held[0]?.session ?? '';
  assert.equal((await machine.json<{ turns: unknown[] }>('transcript', session)).turns.length, 1);
  assert.match(
    (await machine.cli(['why', session])).stdout,
    /nothing injected: held out: this session gets no recall/,
  );
  const impact = await impactOf(machine);
  assert.equal(impact.groups.heldOut.sessions, 1);
  assert.equal(impact.comparison?.without.sessions, 1);
  assert.match(impact.warnings.join(), /too few for a result/);
  assert.match((await machine.cli(['stats', '--impact'])).stdout, /held out \(n=1\)/);
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

async function impactOf(machine: Computer): Promise<Impact> {
  const { code, stdout, stderr } = await machine.cli(['stats', '--impact', '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Impact;
}

/** Memories that a session used, and how. */
async function usesIn(machine: Computer, session: string): Promise<readonly (readonly string[])[]> {
  const moments = await why(machine, [session]);
  const used = moments.flatMap(({ memories }) => memories.filter(({ echoed }) => echoed));
  return [...new Set(used.map(({ id }) => id))].map((id) => [id, 'echoed']);
}
