import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openStores, rememberedLine, storeTurns } from '../capture/index.ts';
import { placesIn, type MemoryDraft, type Operation, type StoredTurn } from '../core/index.ts';
import { applyOperations } from './operations.ts';
import { recordSession, touchSession } from './sessions/sessions.ts';
import { unforget } from './forget.ts';
import { undoLastTurn } from './undo.ts';

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
  const undo = () => undoLastTurn(stores, places, 's1', NOW);
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
