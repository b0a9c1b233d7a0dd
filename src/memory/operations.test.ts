import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import { openStores } from '../capture/index.ts';
import {
  AGENT_MAKER,
  placesIn,
  RULES_MAKER,
  SMALL_MAKER,
  type Memory,
  type MemoryDraft,
  type MemoryKind,
  type Operation,
  type Places,
  type StoredTurn,
} from '../core/index.ts';
import { rebuildIndex } from '../daemon/index.ts';
import { MemoryIndex } from '../database/index.ts';
import { settleMemories } from './edit-memory.ts';
import { applyOperations } from './operations.ts';
import { review } from './review.ts';
import type { Stores } from './stores.ts';

const MODEL = 'api';

test('a fix in a later turn resolves the issue, with links both ways', async (t) => {
  const { stores } = await opened(t);
  const [issue] = await apply(stores, 1, [add('issue', 'The waitlist test fails every tenth run')]);
  const [fix] = await apply(stores, 2, [
    add('bugfix', 'Promotion sorts by created_at and id', [issue?.id ?? '']),
  ]);
  assert.deepEqual(stateOf(stores, issue), ['resolved', fix?.id]);
  assert.equal(stores.index.memory(issue?.id ?? '')?.ended?.turn, 'turn-2');
});

test('a changed value supersedes the old one although the words differ', async (t) => {
  const { stores } = await opened(t);
  const [old] = await apply(stores, 1, [add('decision', 'Packs are compressed with zstd level 19')]);
  const [now] = await apply(stores, 2, [add('decision', 'Nine is the level for packs', [old?.id ?? ''])]);
  assert.deepEqual(stateOf(stores, old), ['superseded', now?.id]);
  assert.deepEqual(stores.index.memory(now?.id ?? '')?.supersedes, [old?.id]);
});

test('a revert ends a feature and nothing takes its place', async (t) => {
  const { stores } = await opened(t);
  const [feature] = await apply(stores, 1, [add('feature', 'Uploads run on tokio tasks')]);
  await apply(stores, 2, [{ op: 'end', id: feature?.id ?? '' }]);
  assert.deepEqual(stateOf(stores, feature), ['superseded', undefined]);
});

test('what an operation does not mention stays unchanged', async (t) => {
  const { stores } = await opened(t);
  const [a, b] = await apply(stores, 1, [add('decision', 'Use pg-boss'), add('issue', 'Mails arrive twice')]);
  await apply(stores, 2, []);
  assert.deepEqual([stateOf(stores, a)[0], stateOf(stores, b)[0]], ['current', 'open']);
});

test('an ended memory stays ended when related ones arrive; stated again, it is a new entry', async (t) => {
  const { stores } = await opened(t);
  const [old] = await apply(stores, 1, [add('preference', 'Run the linter before every commit')]);
  await apply(stores, 2, [{ op: 'end', id: old?.id ?? '' }]);
  await apply(stores, 3, [add('preference', 'Run the type checker before every commit')]);
  assert.equal(stateOf(stores, old)[0], 'superseded');
  const [again] = await apply(stores, 4, [add('preference', 'Run the linter before every commit')]);
  assert.equal(stateOf(stores, old)[0], 'superseded');
  assert.equal(stateOf(stores, again)[0], 'current');
});

test('a turn ends only memories of earlier turns', async (t) => {
  const { stores } = await opened(t);
  const [later] = await apply(stores, 5, [add('decision', 'Threads stay')]);
  await apply(stores, 2, [{ op: 'end', id: later?.id ?? '' }]);
  assert.equal(stateOf(stores, later)[0], 'current');
});

test('a dead end of the small model does not take the place of the user’s rule of the same turn', async (t) => {
  const { stores } = await opened(t);
  const [kept] = await apply(stores, 1, [add('preference', 'Always use jitter')], RULES_MAKER);
  await apply(stores, 1, [add('dead_end', 'Backoff without jitter failed')], SMALL_MAKER);
  assert.deepEqual(stateOf(stores, kept), ['current', undefined]);
});

test('repeating the operations changes nothing', async (t) => {
  const { stores } = await opened(t);
  const [issue] = await apply(stores, 1, [add('issue', 'Restores past 2 GiB are corrupt')]);
  const operations = [add('bugfix', 'Index v2 stores offsets as u64', [issue?.id ?? ''])];
  await apply(stores, 2, operations);
  const before = stores.index.memoriesBy({ limit: 10 });
  await apply(stores, 2, operations);
  assert.deepEqual(stores.index.memoriesBy({ limit: 10 }), before);
});

test('a better distiller replaces the memories and ends of a worse one, not the notes of the agent', async (t) => {
  const { stores } = await opened(t);
  const [keep] = await apply(stores, 1, [add('decision', 'Use zod for input')]);
  const [rule] = await apply(stores, 2, [add('discovery', 'yeah that works'), end(keep)], RULES_MAKER);
  const [note] = await apply(stores, 2, [add('preference', 'No floats for money')], AGENT_MAKER);
  assert.equal(stateOf(stores, keep)[0], 'superseded');
  await apply(stores, 2, []);
  assert.equal(stateOf(stores, rule)[0], 'superseded');
  assert.equal(stateOf(stores, keep)[0], 'current', 'the end of the rules is undone');
  assert.equal(stateOf(stores, note)[0], 'current');
});

test('a state that the user set wins over every operation', async (t) => {
  const { stores } = await opened(t);
  const [issue] = await apply(stores, 1, [add('issue', 'Prune takes 50 minutes')]);
  await settleMemories(stores, [issue?.id ?? ''], false);
  await apply(stores, 2, [{ op: 'end', id: issue?.id ?? '' }]);
  assert.equal(stateOf(stores, issue)[0], 'open');
});

test('with review, a better distiller replaces waiting memories of the same turn', async (t) => {
  const { stores, places } = await opened(t);
  writeFileSync(places.config, JSON.stringify({ 'notes.review': true }));
  const queue = (): readonly string[] => stores.index.waiting().map(({ title }) => title);
  await apply(stores, 1, [add('preference', 'Tabs, not spaces')], AGENT_MAKER);
  await apply(stores, 1, [add('decision', 'yeah, use pg-boss'), add('issue', 'Mails')], RULES_MAKER);
  await apply(stores, 2, [add('decision', 'Use zstd')], RULES_MAKER);
  await apply(stores, 1, [add('decision', 'Use pg-boss for the job queue')], SMALL_MAKER);
  const expected = ['Tabs, not spaces', 'Use pg-boss for the job queue', 'Use zstd'];
  assert.deepEqual(queue().toSorted(), expected);
  stores.index.close();
  await rebuildIndex(Object.assign(stores, { index: MemoryIndex.open(':memory:') }));
  assert.deepEqual(queue().toSorted(), expected);
});

test('with review, a memory ends others only once it is approved', async (t) => {
  const { stores, places } = await opened(t);
  const [old] = await apply(stores, 1, [add('decision', 'Packs use zstd 19')]);
  writeFileSync(places.config, JSON.stringify({ 'notes.review': true }));
  const [now] = await apply(stores, 2, [add('decision', 'Packs use zstd 9', [old?.id ?? ''])]);
  assert.equal(stateOf(stores, old)[0], 'current');
  await review(stores, { ids: [now?.id ?? ''], approved: true }, new Date());
  assert.deepEqual(stateOf(stores, old), ['superseded', now?.id]);
});

test('a rebuilt index has the same ends and evidence', async (t) => {
  const { stores } = await opened(t);
  const [issue] = await apply(stores, 1, [add('issue', 'Umlauts are boxes on the label')]);
  await apply(stores, 2, [add('bugfix', 'Labels use code page 28', [issue?.id ?? ''])]);
  const before = stores.index.memoriesBy({ limit: 10 });
  stores.index.close();
  await rebuildIndex(Object.assign(stores, { index: MemoryIndex.open(':memory:') }));
  assert.deepEqual(stores.index.memoriesBy({ limit: 10 }), before);
  assert.equal(before.find(({ kind }) => kind === 'bugfix')?.evidence, 'said');
});

function add(kind: MemoryKind, title: string, ends: readonly string[] = []): Operation {
  const draft: MemoryDraft = { kind, title, body: '', facts: [], concepts: [], files: [], evidence: 'said' };
  return { op: 'add', draft, ends };
}

function end(memory: Memory | undefined): Operation {
  return { op: 'end', id: memory?.id ?? '' };
}

function apply(
  stores: Stores,
  minute: number,
  operations: readonly Operation[],
  maker = MODEL,
): Promise<readonly Memory[]> {
  const at = `2026-03-02T10:${String(minute).padStart(2, '0')}:00.000Z`;
  const turn: StoredTurn = sampleTurn({ id: `turn-${minute}`, startedAt: at, endedAt: at });
  return applyOperations(stores, turn, operations, maker);
}

function stateOf(stores: Stores, memory: Memory | undefined): [string | undefined, string | undefined] {
  const stored = stores.index.memory(memory?.id ?? '');
  return [stored?.state, stored?.supersededBy ?? stored?.resolvedBy];
}

async function opened(t: TestContext): Promise<{ stores: Stores; places: Places }> {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-operations-'));
  const places = placesIn(home);
  const { stores } = await openStores(places);
  t.after(() => {
    stores.index.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { stores, places };
}
