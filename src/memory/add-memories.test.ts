import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { call, sampleTurn } from '../../test/support/sample-turn.ts';
import { openStores } from '../capture/index.ts';
import {
  memoryId,
  placesIn,
  type Memory,
  type MemoryKind,
  type Places,
  type StoredTurn,
} from '../core/index.ts';
import { rebuildIndex } from '../daemon/index.ts';
import { MemoryIndex } from '../database/index.ts';
import type { SessionHead } from '../storage/journal/index.ts';
import { addMemories, memoriesOf } from './add-memories.ts';
import { forgetMemories } from './forget.ts';
import { syncJournal } from './journal-sync.ts';
import { queueOrStore } from './review.ts';
import type { Stores } from './stores.ts';

const SAID: readonly (readonly [MemoryKind, string, string?])[] = [
  ['decision', 'Use npm for installs'],
  ['preference', 'Always run the linter before you commit'],
  ['issue', 'The logout button is broken on Safari'],
  ['decision', 'Use pnpm instead of npm for installs'],
  ['preference', 'Run the linter before every commit'],
  ['bugfix', 'Logout button works on Safari again', 'The broken handler is gone.'],
  ['preference', 'Always run the linter before each commit'],
  ['issue', 'Logout button is broken on Safari'],
  ['decision', 'use `pnpm` instead of npm for installs.'],
  ['decision', 'Access tokens live 15 minutes'],
  ['decision', 'Access tokens live 30 minutes'],
  ['discovery', 'The staging database is restored every night'],
  ['decision', 'Build the worker with Node 20'],
  ['feature', 'Added an in-memory cache for org slugs'],
  ['preference', 'Build the worker with Node 22'],
  ['refactor', 'Removed the in-memory cache'],
];

function memories(): readonly Memory[] {
  return SAID.map(([kind, title, body = ''], i) => {
    // Two days, three sessions; two turns at the same second.
    const at = `2026-03-0${i < 6 ? 2 : 3}T10:${String(Math.max(0, i - 1)).padStart(2, '0')}:00.000Z`;
    const turn = `turn-${(i * 7) % 16}`;
    const provenance = {
      agent: 'claude-code',
      session: `session-${i % 3}`,
      turn,
      messages: [turn],
      by: 'local',
    };
    const state = kind === 'issue' ? ('open' as const) : ('current' as const);
    return {
      id: memoryId(at, turn, kind, 0),
      kind,
      title,
      body,
      facts: [],
      concepts: [],
      files: [],
      project: 'engine-abc12',
      at,
      state,
      provenance,
    };
  });
}

const headOf = ({ provenance }: Memory): SessionHead => ({
  id: provenance.session,
  agent: 'claude-code',
  startedAt: '2026-03-02T09:00:00.000Z',
  title: `Work of ${provenance.session}`,
  project: 'engine-abc12',
});

async function open(
  t: TestContext,
): Promise<{ stores: Stores; places: Places; files: () => Promise<Record<string, string>> }> {
  const home = mkdtempSync(join(tmpdir(), 'upkeep-'));
  const places = placesIn(home);
  const { stores } = await openStores(places);
  t.after(async () => {
    await stores.journal.close();
    await stores.ledger.close();
    stores.index.close();
    rmSync(home, { recursive: true });
  });
  const root = join(home, 'journal');
  const files = async (): Promise<Record<string, string>> => {
    return Object.fromEntries(
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .toSorted()
        .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
    );
  };
  return { stores, places, files };
}

function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = (n: number): number => {
    const x = Math.sin(seed * 1000 + n) * 10_000;
    return x - Math.floor(x);
  };
  return items
    .map((item, i) => [random(i), item] as const)
    .toSorted((a, b) => a[0] - b[0])
    .map(([, item]) => item);
}

test('the journal is the same for any order of arrival, also with each memory added five times', async (t) => {
  const all = memories();
  const { stores, files } = await open(t);
  for (const memory of all) await addMemories(stores, [memory], [headOf(memory)]);
  const expected = await files();
  const text = Object.values(expected).join('\n');
  assert.match(text, /seen=3/);
  assert.match(text, /decision \(superseded\) · Use npm/);
  assert.match(text, /feature \(superseded\) · Added an in-memory cache/);
  for (let seed = 1; seed <= 5; seed++) {
    const other = await open(t);
    for (const memory of shuffled([...all, ...all, ...all, ...all, ...all], seed))
      await addMemories(other.stores, [memory], [headOf(memory)]);
    assert.deepEqual(await other.files(), expected, `seed ${seed}`);
  }
});

test('a rebuilt index has the merged memories and continues as before', async (t) => {
  const all = memories();
  const whole = await open(t);
  for (const memory of all) await addMemories(whole.stores, [memory], [headOf(memory)]);
  const { stores, files } = await open(t);
  for (const memory of all.slice(4)) await addMemories(stores, [memory], [headOf(memory)]);
  await rebuild(stores);
  for (const memory of all.slice(0, 4)) await addMemories(stores, [memory], [headOf(memory)]);
  assert.deepEqual(await files(), await whole.files());
});

test('an edited entry is not merged, and a deleted entry is not added again', async (t) => {
  const [first, again, third] = memories().filter(({ kind }) => kind === 'preference') as [
    Memory,
    Memory,
    Memory,
  ]; // there are three
  const { stores, files } = await open(t);
  await addMemories(stores, [again], [headOf(again)]);
  await stores.journal.update(again.id, { title: 'Run oxlint before every commit' });
  await syncJournal(stores);
  await addMemories(stores, [first], [headOf(first)]);
  assert.match(Object.values(await files()).join(), /Run oxlint before every commit/);
  stores.index.markDistilled(first.provenance.turn, 'local', [first.id]);
  await stores.journal.remove([first.id]);
  stores.index.removeMemories([first.id]);
  await addMemories(stores, [first], [headOf(first)]);
  assert.equal(stores.index.memory(first.id), undefined);
  await addMemories(stores, [third], [headOf(third)]);
  assert.equal(
    stores.index.memory(third.id)?.title,
    third.title,
    'the same statement of a later turn is a new memory',
  );
});

test('a forgotten memory is not added under another id, unless a later turn says it again', async (t) => {
  const [first] = memories() as [Memory];
  const { stores, places } = await open(t);
  await addMemories(stores, [first], [headOf(first)]);
  await forgetMemories(stores, places, [first.id], { at: new Date('2026-03-02T12:00:00.000Z') });
  const copy = (at: string): Memory => ({
    ...first,
    at,
    id: memoryId(at, 'copy', 'decision', 0),
    provenance: { ...first.provenance, turn: 'copy' },
  });
  assert.deepEqual(await addMemories(stores, [copy('2026-03-02T11:00:00.000Z')], []), []);
  assert.equal((await addMemories(stores, [copy('2026-03-02T13:00:00.000Z')], [])).length, 1);
});

test('a memory forgotten in one project may be added in another, also after a rebuild', async (t) => {
  const [first] = memories() as [Memory];
  const { stores, places } = await open(t);
  await addMemories(stores, [first], [headOf(first)]);
  await forgetMemories(stores, places, [first.id], { at: new Date('2026-03-02T12:00:00.000Z') });
  const at = '2026-03-02T11:00:00.000Z';
  const copy = (project: string): Memory => ({
    ...first,
    at,
    project,
    id: memoryId(at, project, 'decision', 0),
    provenance: { ...first.provenance, turn: project },
  });
  const addsElsewhereOnly = async (other: string): Promise<void> => {
    assert.equal((await addMemories(stores, [copy(other)], [])).length, 1);
    assert.deepEqual(await addMemories(stores, [copy(first.project)], []), []);
    assert.equal(stores.index.tombstone(first.id)?.project, first.project);
  };
  await addsElsewhereOnly('elsewhere-1');
  await rebuild(stores);
  assert.equal(stores.index.memory(copy('elsewhere-1').id)?.title, first.title);
  await addsElsewhereOnly('elsewhere-2');
});

test('a memory about the user goes to the personal project, without a session heading', async (t) => {
  const { stores, files } = await open(t);
  const turn: StoredTurn = {
    id: 'turn-p',
    agent: 'claude-code',
    session: 'session-p',
    origin: 'person',
    startedAt: '2026-03-02T10:00:00.000Z',
    endedAt: '2026-03-02T10:01:00.000Z',
    outcome: 'answered',
    prompt: '',
    answer: '',
    tools: [],
    messages: ['turn-p'],
    project: 'engine-abc12',
  };
  const draft = { kind: 'preference' as const, body: '', facts: [], concepts: [], files: [], personal: true };
  const made = memoriesOf([{ ...draft, title: 'Answers are to be short' }], turn, 'local');
  await queueOrStore(stores, made, turn, undefined);
  const text = (await files())['personal/2026-03-02.md'] ?? '';
  assert.match(text, /preference · Answers are to be short/);
  assert.doesNotMatch(text, /## Session/);
  await rebuild(stores);
  assert.equal(stores.index.project('personal')?.id, 'personal', 'written down in the ledger');
});

/** Replaces the index by an empty one and fills that from the other stores. */
async function rebuild(stores: Stores): Promise<void> {
  stores.index.close();
  await rebuildIndex(Object.assign(stores, { index: MemoryIndex.open(':memory:') }));
}

test('a memory that names a function gets the file that defines it, before the edited files', () => {
  const defines = [{ file: '/home/ada/engine/src/auth.ts', names: ['rotateToken'] }];
  const turn = sampleTurn({ tools: [call({ defines })] });
  const draft = { kind: 'preference' as const, body: '', facts: [], concepts: [], files: ['src/mail.ts'] };
  const filesOf = (title: string, personal = false) =>
    memoriesOf([{ ...draft, title, personal }], turn, 'local', '/home/ada/engine')[0]?.files;
  assert.deepEqual(filesOf('Never retry rotateToken'), ['src/auth.ts', 'src/mail.ts']);
  assert.deepEqual(filesOf('Never retry'), ['src/mail.ts']);
  assert.deepEqual(filesOf('Never retry rotateToken', true), ['src/mail.ts']);
});
