/** Upkeep through the real daemon and CLI: merging, superseding, resolving, the user's verbs, forgetting. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shortId, type Memory } from '../../src/core/index.ts';
import { isAnywhereIn, leaksIn } from '../support/leaks.ts';
import { Machine, type HookFields } from '../support/machine.ts';
import { memoriesOf, stored, titled } from '../support/stored.ts';
import { SyntheticTranscript, uuid, type SyntheticTurn } from '../support/synthetic-transcript.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test('a repeated memory is counted, a replaced one superseded, a fixed issue resolved', async (t) => {
  const machine = Machine.open(t);
  await play(machine, 'one', [
    say('Always run the linter before you commit.'),
    say('We decided to use npm for installs because everybody has it.'),
  ]);
  const notes = join(machine.project, 'notes.md');
  writeFileSync(notes, '# 2026-02-01\n\n## Issues\n- The logout button is broken on Safari\n');
  await machine.ask('extract-facts', notes);
  await play(machine, 'two', [
    say('Always run the linter before you commit!'),
    say('We decided to use pnpm instead of npm for installs because it is faster.'),
  ]);
  await play(machine, 'three', [
    say('always run the linter before you commit'),
    {
      ...say(
        'Fix the logout button on Safari.',
        'Fixed the logout button that was broken on Safari: the handler was missing.',
      ),
      tools: [
        {
          name: 'Edit',
          input: { file_path: 'src/logout.ts', old_string: 'a', new_string: 'b' },
          output: 'ok',
        },
        { name: 'Bash', input: { command: 'npm test' }, output: '14 passed' },
      ],
    },
  ]);
  const memories = await memoriesOf(machine);
  const linter = memories.filter(({ title }) => /linter/i.test(title));
  assert.equal(linter.length, 1, JSON.stringify(linter));
  assert.equal(linter[0]?.seen, 3);
  assert.equal(linter[0]?.provenance.also?.length, 2);
  const old = memories.find(({ title }) => /npm for installs/.test(title) && !/pnpm/.test(title));
  const now = memories.find(({ title }) => /pnpm/.test(title));
  assert.equal(old?.state, 'superseded');
  assert.equal(old?.supersededBy, now?.id);
  assert.deepEqual(now?.supersedes, [old?.id]);
  const issue = memories.find(({ kind }) => kind === 'issue');
  const fix = memories.find(({ kind }) => kind === 'bugfix');
  assert.deepEqual([issue?.state, issue?.resolvedBy], ['resolved', fix?.id], JSON.stringify({ issue, fix }));
  const { stdout: page } = await machine.cli(['brief', '--markdown']);
  assert.match(page, /^- .*linter/m);
  assert.match(page, /pnpm instead of npm/);
  assert.doesNotMatch(page, /use npm for installs/i);
  const { stdout } = await machine.ask('reindex', '--json');
  assert.ok(stdout);
  assert.equal((await shown(machine, linter[0]?.id ?? '')).seen, 3, 'the index learns it from the journal');
});

test('sessions that repeat and contradict each other give the same memories in any order', async (t) => {
  const machine = Machine.open(t);
  const sessions = [
    [
      'We decided to use npm for installs because everybody has it.',
      'Always run the linter before you commit.',
    ],
    [
      'Always run the linter before you commit!',
      'We decided to use pnpm instead of npm for installs because it is faster.',
    ],
    ['always run the linter before you commit'],
  ].map((prompts, i) =>
    written(
      machine,
      `order-${i}`,
      `2026-04-0${i + 1}T09:00:00.000Z`,
      prompts.map((prompt) => say(prompt)),
    ),
  );
  const takes: string[] = [];
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0, 1, 2, 0],
  ]) {
    rmSync(machine.places.home, { recursive: true, force: true });
    await machine.up();
    for (const i of order) {
      await machine.deliver('SessionEnd', sessions[i] ?? { session_id: '' });
      await machine.drained();
    }
    takes.push((await stored(machine)).text);
    await machine.stopDaemon();
  }
  assert.match(takes[0] ?? '', /"seen":3/);
  for (const take of takes) assert.equal(take, takes[0]);
});

test('every verb of the user changes the memory and prints JSON', async (t) => {
  const machine = Machine.open(t);
  const decision = await json<Memory>(machine, ['add-decision', 'Use npm', 'everybody has it']);
  assert.equal(decision.reason, 'everybody has it');
  const other = await json<Memory>(machine, [
    'remember',
    'Deploys happen on Fridays',
    '--kind',
    'decision',
    '--file',
    'a.ts',
    '--file',
    'b.ts',
    '--fact',
    'at noon',
  ]);
  assert.deepEqual([other.files, other.facts], [['a.ts', 'b.ts'], ['at noon']]);
  const issue = await json<Memory>(machine, ['add-issue', 'Imports are slow', 'open']);
  assert.equal((await json<Memory[]>(machine, ['resolve', issue.id]))[0]?.state, 'resolved');
  assert.equal((await json<Memory[]>(machine, ['reopen', issue.id]))[0]?.state, 'open');
  const pair = await json<Memory[]>(machine, ['supersede', decision.id, other.id]);
  assert.deepEqual(
    [pair[0]?.state, pair[0]?.supersededBy, pair[1]?.supersedes],
    ['superseded', other.id, [decision.id]],
  );
  const edited = await json<Memory>(machine, [
    'edit',
    other.id,
    '--title',
    'Deploys happen on Mondays',
    '--reason',
    'quiet weekends',
  ]);
  assert.deepEqual(
    [edited.title, edited.reason, edited.facts],
    ['Deploys happen on Mondays', 'quiet weekends', ['at noon']],
  );
  const typed = await machine.cli(['edit', other.id], { env: { EDITOR: "sed -i 's/Mondays/Tuesdays/'" } });
  assert.match(typed.stdout, /Tuesdays/, typed.stderr);
  const pattern = await json<Memory>(machine, ['add-pattern', 'Errors end with a hint']);
  const merged = await json<Memory>(machine, ['merge', other.id, pattern.id]);
  assert.equal(merged.seen, 2);
  assert.equal((await shown(machine, pattern.id)).id, other.id, 'the merged one is found in the other');
  assert.equal((await machine.ask('resolve', other.id)).code, 2, 'only an issue can be resolved');
  assert.equal((await machine.ask('edit', 'nothing', '--title', 'x')).code, 3);
  await machine.ask('reindex');
  assert.equal((await shown(machine, other.id)).seen, 2);
  for (const verb of [
    'edit',
    'resolve',
    'reopen',
    'supersede',
    'merge',
    'forget',
    'review',
    'add-decision',
    'add-pattern',
    'add-issue',
    'extract-facts',
    'clear-facts',
  ])
    assert.match((await machine.ask(verb, '--help')).stdout, new RegExp(`Usage: tidemark ${verb}`));
});

test('a merge by hand can be undone by either id, also after a rebuild of the index', async (t) => {
  const machine = Machine.open(t);
  const one = await json<Memory>(machine, ['add-decision', 'Deploys happen on Fridays', 'quiet weekends']);
  const two = await json<Memory>(machine, ['add-pattern', 'Errors end with a hint']);
  const three = await json<Memory>(machine, ['add-pattern', 'Migrations are numbered']);
  const { stderr } = await machine.ask('merge', one.id, two.id, three.id);
  assert.match(stderr, new RegExp(`tidemark merge --undo ${shortId(one.id)}`));
  const [back] = await json<Memory[]>(machine, ['merge', '--undo', two.id]);
  assert.deepEqual([back?.id, back?.title], [two.id, two.title]);
  assert.equal((await shown(machine, one.id)).seen, 2);
  await json<Memory[]>(machine, ['merge', '--undo', one.id]);
  await machine.ask('reindex');
  for (const { id, title } of [one, two, three]) {
    const memory = await shown(machine, id);
    assert.deepEqual([memory.id, memory.title, memory.seen ?? 1], [id, title, 1]);
  }
  assert.equal((await memoriesOf(machine)).length, 3);
  assert.equal((await machine.ask('merge', '--undo', one.id)).code, 3);
});

test('facts are extracted from a file once, and cleared with consent', async (t) => {
  const machine = Machine.open(t);
  const file = join(machine.project, 'session.md');
  writeFileSync(
    file,
    '# Session 2025-12-21_0300\n\n## Decisions\n- Use Markdown: easy to read\n\n## Patterns\n- Small files\n\n## Issues\n- Editing fails: resolved\n- Slow start: open\n',
  );
  const first = await json<{ found: object; added: string[] }>(machine, ['extract-facts', 'session.md']);
  assert.deepEqual(first.found, { decision: 1, pattern: 1, issue: 2 });
  assert.equal(first.added.length, 4);
  const again = await json<{ added: string[]; known: number }>(machine, ['extract-facts', 'session.md']);
  assert.deepEqual([again.added.length, again.known], [0, 4]);
  assert.equal((await machine.ask('clear-facts', 'issues')).code, 2, 'not without consent');
  const cleared = await json<{ forgotten: string[] }>(machine, ['clear-facts', 'issues', '--yes']);
  assert.equal(cleared.forgotten.length, 2);
  assert.deepEqual((await memoriesOf(machine)).map(({ kind }) => kind).toSorted(), ['decision', 'pattern']);
});

test('a forgotten memory is hidden at once, comes back with --undo, and is erased after a day', async (t) => {
  const machine = Machine.open(t);
  const word = 'quokkaberry';
  await play(machine, 'forget', [
    say(`We decided to call the service ${word} because nobody else does.`),
    say('We decided to log to files because the console is lost.'),
  ]);
  const [found] = await titled(machine, word);
  const id = found?.id ?? '';
  assert.equal((await machine.ask('forget', id)).code, 0);
  assert.deepEqual(await titled(machine, word), []);
  assert.equal((await machine.ask('show', id)).code, 3);

  assert.equal((await machine.ask('forget', '--undo', id.slice(0, 8))).code, 0);
  assert.equal((await shown(machine, id)).title, found?.title);
  assert.ok((await machine.ask('transcript', id)).stdout.includes(word));

  await machine.ask('forget', id);
  await machine.call('sweep', { now: new Date(Date.now() + DAY_MS - 60_000).toISOString() });
  assert.ok(isAnywhereIn(machine.places.home, word), 'not before its day is over');
  await machine.call('sweep', { now: new Date(Date.now() + DAY_MS + 60_000).toISOString() });
  assert.deepEqual(leaksOf(machine, word), []);
  assert.equal((await machine.ask('forget', '--undo', id)).code, 3);
  for (const again of [['import', 'history'], ['reindex']]) await machine.ask(...again);
  assert.deepEqual(leaksOf(machine, word), [], 'neither an import nor a rebuild brings it back');
  assert.equal((await memoriesOf(machine)).length, 1, 'the other memory of the session stays');
});

test('forget --now also removes the memories that were merged into it', async (t) => {
  const machine = Machine.open(t);
  const word = 'numbatfruit';
  await play(machine, 'now', [
    say(`Always keep the ${word} cache warm before a deploy.`),
    say(`always keep the ${word} cache warm before a deploy`),
  ]);
  const [only, ...others] = await memoriesOf(machine);
  assert.deepEqual([only?.seen, others.length], [2, 0]);
  const { code, stderr } = await machine.ask('forget', only?.id ?? '', '--now');
  assert.equal(code, 0, stderr);
  assert.deepEqual(leaksOf(machine, word), []);
});

test('with review on, new memories wait for approval', async (t) => {
  const machine = Machine.open(t);
  writeFileSync(join(machine.project, '.tidemark.json'), JSON.stringify({ 'notes.review': true }));
  await play(machine, 'review', [
    say('We decided to use npm for installs because everybody has it.'),
    say('Always run the linter before you commit.'),
  ]);
  assert.deepEqual(await memoriesOf(machine), []);
  await machine.ask('reindex');
  const waiting = await json<Memory[]>(machine, ['review']);
  assert.equal(waiting.length, 2);
  await machine.cli(['review', 'approve', waiting[0]?.id ?? '']);
  await machine.cli(['review', 'reject', waiting[1]?.id ?? '']);
  assert.deepEqual(
    (await memoriesOf(machine)).map(({ id }) => id),
    [waiting[0]?.id],
  );
  await machine.ask('import', 'history');
  assert.deepEqual(await json<Memory[]>(machine, ['review']), []);
});

function say(prompt: string, answer = 'Understood.'): SyntheticTurn {
  return { prompt, answer };
}

let day = 1;

/** A session from its first prompt to its end, a day after the last one. */
async function play(machine: Machine, name: string, turns: readonly SyntheticTurn[]): Promise<void> {
  const start = `2026-03-${String(day++).padStart(2, '0')}T09:00:00.000Z`;
  const end = written(machine, name, start, turns);
  await machine.up();
  await machine.deliver('SessionEnd', end);
  await machine.drained();
}

/** The transcript of a session, and what its last hook says. */
function written(machine: Machine, name: string, start: string, turns: readonly SyntheticTurn[]): HookFields {
  const transcript = new SyntheticTranscript({
    config: machine.config,
    cwd: machine.project,
    session: uuid(name),
    start,
  });
  for (const turn of turns) transcript.append(turn);
  transcript.finish();
  return { session_id: transcript.session, transcript_path: transcript.path, reason: 'other' };
}

function json<T>(machine: Machine, args: readonly string[]): Promise<T> {
  return machine.json(...args);
}

async function shown(machine: Machine, id: string): Promise<Memory> {
  const [entry] = await json<{ memory: Memory }[]>(machine, ['show', id]);
  assert.ok(entry, `nothing is shown for ${id}`);
  return entry.memory;
}

function leaksOf(machine: Machine, word: string): readonly string[] {
  return leaksIn(machine.places.home, [{ name: word, text: word }]);
}
