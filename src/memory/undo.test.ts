import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openStores, rememberedLine, storeTurns } from '../capture/index.ts';
import { placesIn, type MemoryDraft, type Operation, type StoredTurn } from '../core/index.ts';
import { applyOperations } from './operations.ts';
import { recordSession, touchSession } from './sessions/sessions.ts';
import { supersedeMemory } from './edit-memory.ts';
import { forgetMemories, unforget } from './forget.ts';
import { undoLast } from './undo.ts';

const NOW = new Date('2026-11-16T12:00:00.000Z');

const turn = (n: number): StoredTurn => ({
  id: `turn-${n}`,
  session: 's1',
  agent: 'claude-code',
  startedAt: `2026-11-16T10:0${n}:00.000Z`,
  endedAt: `2026-11-16T10:0${n}:30.000Z`,
  origin: 'person',
  prompt: `Prompt number ${n} about the queue`,
  answer: 'Done.',
  tools: [],
  outcome: 'answered',
  messages: [`turn-${n}`],
  project: 'engine-abc12',
});

const draft = (kind: MemoryDraft['kind'], title: string): MemoryDraft => ({
  kind,
  title,
  body: '',
  facts: [],
  concepts: [],
  files: [],
});

const add = (kind: MemoryDraft['kind'], title: string, ends: readonly string[] = []): Operation => ({
  op: 'add',
  draft: draft(kind, title),
  ends,
});

async function open(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'undo-'));
  const places = placesIn(home);
  const { stores } = await openStores(places);
  t.after(async () => {
    await stores.journal.close();
    await Promise.all([stores.turns.close(), stores.ledger.close()]);
    stores.index.close();
    rmSync(home, { recursive: true, force: true });
  });
  await recordSession(stores, {
    kind: 'session',
    at: '2026-11-16T10:00:00.000Z',
    session: 's1',
    change: 'started',
    project: 'engine-abc12',
    status: 'active',
  });
  const say = async (n: number, ...operations: readonly Operation[]) => {
    const silent = { name: 'claude', distill: () => Promise.resolve({ operations: [] }) };
    await storeTurns(stores, silent, [turn(n)], { project: 'engine-abc12' });
    touchSession(stores, 's1');
    return applyOperations(stores, turn(n), operations, 'claude');
  };
  const states = () =>
    Object.fromEntries(
      stores.index.memoriesBy({ session: 's1', limit: 50 }).map(({ title, state }) => [title, state]),
    );
  const undo = (more: { project?: string; preview?: boolean } = {}) =>
    undoLast(stores, places, { session: 's1', at: NOW, ...more });
  return { stores, places, say, states, undo };
}

test('undo forgets what the last turn stored, and what it replaced is in force again', async (t) => {
  const { stores, places, say, states, undo } = await open(t);
  const [agenda] = await say(1, add('decision', 'Use Agenda for the job queue'));
  const [boss] = await say(2, add('decision', 'Use pg-boss for the job queue', [agenda?.id ?? '']));
  await say(3);
  assert.deepEqual(states(), {
    'Use Agenda for the job queue': 'superseded',
    'Use pg-boss for the job queue': 'current',
  });
  const { forgotten, restored, turn: undone } = await undo();
  assert.equal(undone, 'turn-2');
  assert.deepEqual(
    [forgotten, restored].map((some) => some.map(({ title }) => title)),
    [['Use pg-boss for the job queue'], ['Use Agenda for the job queue']],
  );
  assert.deepEqual(states(), { 'Use Agenda for the job queue': 'current' });
  await unforget(stores, places, [boss?.id ?? ''], NOW);
  assert.equal(states()['Use pg-boss for the job queue'], 'current', 'within a day it can be restored');
});

test('a memory that the turn only ended is in force again, also an issue', async (t) => {
  const { say, states, undo } = await open(t);
  const [issue, rule] = await say(
    1,
    add('issue', 'The login test fails on Windows'),
    add('preference', 'Indent with tabs everywhere'),
  );
  await say(2, { op: 'end', id: issue?.id ?? '' }, { op: 'end', id: rule?.id ?? '' });
  assert.deepEqual(Object.values(states()).toSorted(), ['resolved', 'superseded']);
  const { forgotten, restored } = await undo();
  assert.deepEqual([forgotten.length, restored.length], [0, 2]);
  assert.deepEqual(states(), {
    'The login test fails on Windows': 'open',
    'Indent with tabs everywhere': 'current',
  });
});

test('a second undo goes one turn back, then there is nothing left', async (t) => {
  const { say, states, undo } = await open(t);
  await say(1, add('preference', 'Indent with tabs everywhere'));
  await say(2, add('decision', 'Use pg-boss for the job queue'));
  await undo();
  await undo();
  assert.deepEqual(states(), {});
  await assert.rejects(undo(), { code: 'not-found' });
});

test('after a forget by the user, undo restores it; then it goes on with the last turn', async (t) => {
  const { stores, places, say, states, undo } = await open(t);
  const [tabs] = await say(1, add('preference', 'Indent with tabs everywhere'));
  await say(2, add('decision', 'Use pg-boss for the job queue'));
  const at = new Date('2026-11-16T11:00:00.000Z');
  await forgetMemories(stores, places, [tabs?.id ?? ''], { at, byUser: true });
  const project = 'engine-abc12';
  const planned = await undo({ project, preview: true });
  assert.deepEqual([planned.step, planned.forgotten.length, planned.restored.length], ['forget', 0, 1]);
  assert.deepEqual(Object.keys(states()), ['Use pg-boss for the job queue'], 'a preview changes nothing');
  const { step, restored } = await undo({ project });
  assert.deepEqual([step, restored.map(({ id }) => id)], ['forget', [tabs?.id]]);
  assert.equal(states()['Indent with tabs everywhere'], 'current');
  const next = await undo({ project });
  assert.deepEqual([next.step, next.turn], ['turn', 'turn-2']);
  assert.equal((await undo({ project })).turn, 'turn-1', 'what undo forgot is not restored by undo');
});

test('a turn after the forget is undone first, and a session that was named has only turns', async (t) => {
  const { stores, places, say, undo } = await open(t);
  const [tabs] = await say(1, add('preference', 'Indent with tabs everywhere'));
  await say(2, add('decision', 'Use pg-boss for the job queue'));
  const at = new Date('2026-11-16T10:01:45.000Z');
  await forgetMemories(stores, places, [tabs?.id ?? ''], { at, byUser: true });
  assert.equal((await undo({ project: 'engine-abc12', preview: true })).turn, 'turn-2');
  assert.equal((await undo()).turn, 'turn-2');
  assert.equal((await undo({ project: 'engine-abc12' })).step, 'forget');
});

test('what the user marked as replaced by a memory of the undone turn is in force again', async (t) => {
  const { stores, say, states, undo } = await open(t);
  const [mail] = await say(1, add('decision', 'Mail goes out at noon'));
  const [boss] = await say(2, add('decision', 'Use pg-boss for the job queue'));
  await supersedeMemory(stores, mail?.id ?? '', boss?.id ?? '');
  const planned = await undo({ preview: true });
  assert.deepEqual(
    planned.restored.map(({ id }) => id),
    [mail?.id],
  );
  const { restored } = await undo();
  assert.deepEqual(
    restored.map(({ id }) => id),
    [mail?.id],
  );
  assert.deepEqual(states(), { 'Mail goes out at noon': 'current' });
});

test('a memory that was replaced within the turn is forgotten with the turn', async (t) => {
  const { say, states, undo } = await open(t);
  await say(1, add('decision', 'Mail goes out at noon'));
  await say(1, add('preference', 'Indent with tabs everywhere'));
  assert.equal(states()['Mail goes out at noon'], 'superseded');
  assert.equal((await undo()).forgotten.length, 2);
  assert.deepEqual(states(), {});
});

test('the line for the user names the first memory in force and counts the others', async (t) => {
  const { stores, say } = await open(t);
  const made = await say(
    1,
    add('decision', 'Use pg-boss for the job queue'),
    add('preference', 'Indent with tabs everywhere'),
    add('dead_end', 'Agenda loses jobs on restart'),
  );
  const ids = made.map(({ id }) => id);
  assert.equal(
    rememberedLine(stores.index, ids, 'claude-code'),
    'Remembered: Use pg-boss for the job queue +2 more · undo: /tidemark:undo',
  );
  assert.equal(
    rememberedLine(stores.index, ids.slice(1, 2), 'codex'),
    'Remembered: Indent with tabs everywhere · undo: tidemark undo',
  );
  assert.equal(rememberedLine(stores.index, ['1ja0p3h7k2m9qx'], 'codex'), '');
});
