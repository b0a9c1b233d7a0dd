import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { memoryId, type Memory, type MemoryKind } from '../../core/index.ts';
import { MemoryIndex } from '../../database/index.ts';
import { zoneDays } from '../zone-days.ts';
import { latestChanges, usedToday } from './home.ts';

const NOW = new Date('2026-11-16T12:00:00.000Z');

function memory(kind: MemoryKind, title: string, at: string, more: Partial<Memory> = {}): Memory {
  return {
    id: memoryId(at, title, kind, 0),
    kind,
    title,
    body: '',
    facts: [],
    concepts: [],
    files: [],
    project: 'shop-abc12',
    at,
    state: 'current',
    provenance: { agent: 'claude-code', session: 's1', turn: title, messages: [], by: 'local' },
    ...more,
  };
}

function indexWith(t: TestContext, memories: readonly Memory[]): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  index.upsertProject({ id: 'shop-abc12', name: 'shop', keys: [], paths: [] });
  index.upsertMemories(memories.map((one) => ({ memory: one })));
  return index;
}

test('changes list what was replaced, resolved and edited, the latest first and each memory once', (t) => {
  const later = memory('decision', 'Use PostgreSQL', '2026-11-14T09:00:00.000Z');
  const old = memory('decision', 'Use SQLite', '2026-11-01T09:00:00.000Z', {
    state: 'superseded',
    supersededBy: later.id,
  });
  const fixed = memory('issue', 'Uploads time out', '2026-11-02T09:00:00.000Z', {
    state: 'resolved',
    ended: { at: '2026-11-15T10:00:00.000Z', turn: 't9', maker: 'local' },
  });
  const edited = memory('pattern', 'Routes are data', '2026-11-03T09:00:00.000Z');
  const index = indexWith(t, [later, old, fixed, edited]);
  const before = { title: 'Routes are code', body: '' };
  index.putChange({ memory: edited.id, at: '2026-11-16T08:00:00.000Z', how: 'edited', before });
  index.putChange({ memory: old.id, at: '2026-11-16T09:00:00.000Z', how: 'superseded', by: later.id });
  index.putChange({ memory: 'forgotten0000', at: '2026-11-16T10:00:00.000Z', how: 'resolved' });
  assert.deepEqual(
    latestChanges(index, 10).map(({ how, memory: { title }, before: was, by, projectName }) => [
      how,
      was?.title ?? title,
      was ? title : by?.title,
      projectName,
    ]),
    [
      ['superseded', 'Use SQLite', 'Use PostgreSQL', 'shop'],
      ['edited', 'Routes are code', 'Routes are data', 'shop'],
      ['resolved', 'Uploads time out', undefined, 'shop'],
    ],
  );
  assert.equal(latestChanges(index, 1).length, 1);
});

test('used today lists the memories of the user’s day with the sessions that got them', (t) => {
  const first = memory('decision', 'Use PostgreSQL', '2026-11-01T09:00:00.000Z');
  const second = memory('pattern', 'Routes are data', '2026-11-02T09:00:00.000Z');
  const index = indexWith(t, [first, second]);
  index.upsertSession({
    id: 's2',
    agent: 'claude-code',
    project: 'shop-abc12',
    startedAt: '2026-11-16T09:00:00.000Z',
    lastAt: '2026-11-16T09:00:00.000Z',
    status: 'active',
    title: 'Move the queue',
    turns: 1,
  });
  const injected = (of: Memory, session: string, at: string, score: number) => ({
    at,
    session,
    place: 'brief',
    promptId: '',
    memory: of.id,
    score,
  });
  index.recordInjection([
    injected(first, 's1', '2026-11-15T23:30:00.000Z', 0.5), // yesterday in London, today in Vienna
    injected(first, 's2', '2026-11-16T09:00:00.000Z', 0.5),
    injected(second, 's2', '2026-11-16T09:00:00.000Z', 0.9),
    injected(second, 's0', '2026-11-14T09:00:00.000Z', 0.9),
  ]);
  index.recordOpened([{ memory: first.id, session: 's2', at: '2026-11-16T09:01:00.000Z' }]);
  const london = usedToday(index, zoneDays('Europe/London'), NOW, 10);
  assert.deepEqual(
    london.memories.map(({ memory: { title }, times, sessionCount, sessions, isOpened }) => [
      title,
      times,
      sessionCount,
      sessions.map((session) => session.title),
      isOpened,
    ]),
    [
      ['Routes are data', 1, 1, ['Move the queue'], false],
      ['Use PostgreSQL', 1, 1, ['Move the queue'], true],
    ],
  );
  const vienna = usedToday(index, zoneDays('Europe/Vienna'), NOW, 1);
  assert.deepEqual([vienna.total, vienna.memories.length], [2, 1]);
  const all = usedToday(index, zoneDays('Europe/Vienna'), NOW, 10);
  assert.equal(all.memories.find(({ memory: { id } }) => id === first.id)?.times, 2);
});
