/** Memories are exported in formats that other programs can read, and imported again unchanged. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Memory, Session } from '../../src/core/index.ts';
import { isAnywhereIn } from '../support/leaks.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
import { makeHistory, takeIn } from './_history.ts';

test('export, import, export is byte-identical, with turns, edits and forgotten entries', async (t) => {
  const from = await remembered(t);
  const first = await exported(from, ['--turns']);
  assert.match(first, /^\{"format":1,"record":"tidemark-export"\}\n/);
  assert.ok(first.includes('"record":"turn"') && first.includes('"record":"forgotten"'));
  assert.ok(first.includes('"edited":true') && first.includes('"held":true'));
  const memories = await exported(from);
  assert.equal(memories.includes(from.root), false, 'nothing of the machine is in what is remembered');

  const to = Machine.open(t);
  await to.up();
  const file = join(to.root, 'memories.jsonl');
  writeFileSync(file, first);
  const { stdout, code, stderr } = await to.ask('import', 'file', file);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /memories of 3 projects imported, 6 turns/);
  assert.equal(await exported(to, ['--turns']), first);

  const again = JSON.parse((await to.ask('import', 'file', file, '--json')).stdout) as Record<string, number>;
  assert.deepEqual([again['memories'], again['turns'], again['sessions']], [0, 0, 0]);
  await to.ask('reindex');
  assert.equal(await exported(to, ['--turns']), first, 'after a reindex');
  const found = await to.ask('search', 'refresh tokens', '--json');
  assert.match(found.stdout, /refresh tokens/i);
});

test('a forgotten memory does not come back with an older export', async (t) => {
  const machine = await remembered(t);
  const file = join(machine.root, 'memories.jsonl');
  writeFileSync(file, await exported(machine));
  const [memory] = await memoriesOf(machine);
  await machine.ask('forget', memory?.id ?? '', '--now');
  const { stdout } = await machine.ask('import', 'file', file);
  assert.match(stdout, /\d+ were forgotten and are not imported/);
  assert.equal(
    (await memoriesOf(machine)).some(({ id }) => id === memory?.id),
    false,
  );
});

test('import reports foreign, newer and broken files with file and line, and takes the rest', async (t) => {
  const machine = await remembered(t);
  const file = join(machine.root, 'x.jsonl');
  const tries: readonly (readonly [string, RegExp])[] = [
    ['', /x\.jsonl is empty\nhint: /],
    ['{"some":"json"}\n', /x\.jsonl:1: /],
    ['\0\0\0\n', /x\.jsonl:1: not JSON/],
    ['{"record":"tidemark-export","format":2}\n', /made by a newer Tidemark \(format 2\)/],
  ];
  for (const [text, expected] of tries) {
    writeFileSync(file, text);
    const { code, stderr } = await machine.ask('import', 'file', file);
    assert.equal(code, 1);
    assert.match(stderr, expected);
  }
  const lines = (await exported(machine)).split('\n');
  const outside = lines
    .find((line) => line.includes('"record":"memory"'))
    ?.replace(/"project":"[^"]+"/, '"project":"../../x"');
  const other = Machine.open(t);
  await other.up();
  writeFileSync(file, [...lines.slice(0, -1), outside, '{"record":"memory"}', 'rubbish', ''].join('\n'));
  const { code, stdout } = await other.ask('import', 'file', file);
  assert.equal(code, 1);
  assert.match(stdout, new RegExp(`3 skipped:\n.*x\\.jsonl:${lines.length}: .*not the name of a project`));
  assert.equal((await memoriesOf(other)).length, (await memoriesOf(machine)).length);
});

test('exports for other tools can be imported again', async (t) => {
  const machine = await remembered(t);
  const all = await memoriesOf(machine);
  const memories = all.filter(({ project }) => project.startsWith('shop'));
  const folder = join(machine.root, 'memsearch');
  const { stdout } = await machine.ask(
    'export',
    '--format',
    'memsearch',
    '--project',
    'shop',
    '--to',
    folder,
  );
  assert.match(stdout, new RegExp(`^${memories.length} memories of 1 project`));
  const days = readdirSync(folder);
  assert.ok(days.every((name) => /^\d{4}-\d\d-\d\d\.md$/.test(name)));
  const text = days.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  for (const { title, id } of memories) assert.ok(text.includes(title) && text.includes(`tidemark:${id}`));

  const json = await machine.ask('export', '--format', 'claude-mem');
  const body = JSON.parse(json.stdout) as Record<string, readonly Record<string, unknown>[]>;
  const sessions = new Set(body['sessions']?.map(({ memory_session_id: id }) => id));
  assert.equal(body['observations']?.length, all.length);
  assert.ok(body['observations']?.every(({ memory_session_id: id }) => sessions.has(id)));

  const markdown = join(machine.root, 'markdown');
  await machine.ask('export', '--format', 'markdown', '--to', markdown);
  assert.ok(memories.every(({ title }) => isAnywhereIn(markdown, title)));
});

test('facts.json goes to Memory Keeper and comes back through its import', async (t) => {
  const from = Machine.open(t);
  for (const args of [
    [
      'remember',
      'Use pg-boss for the queue',
      '--kind',
      'decision',
      '--why',
      'no Redis',
      '--file',
      'src/q.ts',
    ],
    ['remember', 'Indent with tabs', '--kind', 'preference'],
    ['remember', 'Agenda loses jobs', '--kind', 'dead_end'],
    ['remember', 'Tests run first', '--kind', 'pattern'],
    ['remember', 'The pool holds 20', '--kind', 'discovery'],
    ['add-issue', 'Slow on Windows', 'resolved'],
  ])
    assert.equal((await from.ask(...args)).code, 0);
  const to = Machine.open(t);
  const file = join(to.project, '.claude', 'memory', 'facts.json');
  mkdirSync(join(file, '..'), { recursive: true });
  const { stdout } = await from.ask('export', '--format', 'facts', '--to', file);
  assert.match(stdout, /^5 memories of 1 project → .*facts\.json\nLeft out: 1 memory /);
  const facts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly { id: string }[]>;
  assert.deepEqual(
    facts['decisions']?.map(({ id }) => id),
    ['d001', 'd002'],
  );
  assert.equal((await to.ask('import', 'memory-keeper')).code, 0);
  const found = await memoriesOf(to);
  assert.deepEqual(found.map(({ kind, title, state }) => `${kind} ${title} ${state}`).toSorted(), [
    'dead_end Agenda loses jobs current',
    'decision Indent with tabs current',
    'decision Use pg-boss for the queue current',
    'issue Slow on Windows resolved',
    'pattern Tests run first current',
  ]);
  const decision = found.find(({ title }) => title.startsWith('Use pg-boss'));
  assert.deepEqual([decision?.reason, decision?.files], ['no Redis', ['src/q.ts']]);
});

test('an export to EverMem comes back through its import, with sessions and memories', async (t) => {
  const from = await remembered(t);
  const folder = join(from.root, 'evermem');
  const { stdout } = await from.ask('export', '--format', 'evermem', '--to', folder);
  assert.match(stdout, /^\d+ memories of 3 projects/);
  const live = (await memoriesOf(from)).filter(({ state }) => state === 'current' || state === 'open');
  const to = Machine.open(t);
  const { code, stderr } = await to.ask('import', 'evermem', '--path', folder);
  assert.equal(code, 0, stderr);
  const titles = (all: readonly { kind: string; title: string }[]) =>
    all.map(({ kind, title }) => `${kind} ${title}`).toSorted();
  assert.deepEqual(titles(await memoriesOf(to)), titles(live));
  const turnsOf = async (machine: Machine) =>
    (await machine.json<Session[]>('sessions', '--all', '--limit', '100'))
      .map(({ id, turns }) => `${id} ${turns}`)
      .toSorted();
  assert.deepEqual(await turnsOf(to), await turnsOf(from));
  assert.match((await to.ask('import', 'evermem', '--path', folder)).stdout, /^Imported, free: nothing/m);
});

async function exported(machine: Machine, args: readonly string[] = []): Promise<string> {
  const { stdout, code, stderr } = await machine.ask('export', ...args);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Two projects of sessions, a personal memory, an edit, a resolved issue and something forgotten. */
async function remembered(t: TestContext): Promise<Machine> {
  const machine = Machine.open(t);
  await takeIn(machine, makeHistory(machine));
  const memories = await memoriesOf(machine);
  const of = (kind: string) => memories.find((memory) => memory.kind === kind)?.id ?? '';
  await machine.ask('edit', of('decision'), '--title', 'Refresh tokens rotate, always');
  await machine.ask('resolve', of('issue'));
  await machine.ask('remember', 'I like tabs', '--kind', 'preference', '--everywhere');
  const gone = JSON.parse(
    (await machine.askIn(join(machine.root, 'shop'), 'remember', 'To be forgotten', '--json')).stdout,
  ) as Memory;
  await machine.ask('forget', gone.id, '--now');
  return machine;
}
