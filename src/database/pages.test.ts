import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sampleMemory } from '../../test/support/full-memory.ts';
import type { Memory, Session } from '../core/index.ts';
import type { Cursor, MemoryListing } from './memories.ts';
import { MemoryIndex } from './memory-index.ts';

function opened(t: TestContext): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  return index;
}

/** Three of a kind at one instant each time, so that a page ends in the middle of an instant. */
function fill(index: MemoryIndex, count: number): void {
  const memories = Array.from({ length: count }, (_, i): Memory => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, Math.floor(i / 3))).toISOString();
    const id = `m${String((i * 7919) % 10_007).padStart(6, '0')}`;
    return sampleMemory({
      id,
      at,
      kind: i % 4 === 0 ? 'issue' : 'decision',
      project: i % 2 === 0 ? 'even-1' : 'odd-1',
      state: i % 4 === 0 ? 'open' : 'current',
    });
  });
  index.upsertMemories(memories.map((memory) => ({ memory })));
}

function walk(index: MemoryIndex, listing: MemoryListing): readonly string[] {
  const ids: string[] = [];
  let after: Cursor | undefined;
  for (;;) {
    const page = index.memoriesBy({ ...listing, ...(after ? { after } : {}) });
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (!last) return ids;
    after = { at: last.at, id: last.id };
  }
}

test('pages by cursor contain every memory once, in the order of the full list', (t) => {
  const index = opened(t);
  fill(index, 100);
  const listings: readonly MemoryListing[] = [
    {},
    { project: 'even-1' },
    { kind: 'issue', order: 'oldest' },
    { project: ['even-1', 'odd-1'] },
    { kind: ['issue', 'decision'] },
    { project: ['even-1'], kind: ['issue', 'decision'] },
    { kind: [] },
  ];
  for (const listing of listings) {
    const whole = index.memoriesBy({ ...listing, limit: 1000 }).map(({ id }) => id);
    assert.deepEqual(walk(index, { ...listing, limit: 7 }), whole);
    const { project, kind } = listing;
    assert.equal(
      index.memoryCount({ ...(project ? { project } : {}), ...(kind ? { kind } : {}) }),
      whole.length,
    );
  }
});

test('new memories do not change later pages', (t) => {
  const index = opened(t);
  fill(index, 30);
  const [first] = index.memoriesBy({ limit: 1 });
  assert.ok(first);
  const below = index.memoriesBy({ limit: 5, after: first });
  index.upsertMemories([{ memory: sampleMemory({ id: 'new', at: '2027-01-01T00:00:00.000Z' }) }]);
  assert.deepEqual(index.memoriesBy({ limit: 5, after: first }), below);
});

test('facets count by project, kind and state', (t) => {
  const index = opened(t);
  fill(index, 8);
  assert.deepEqual(index.facets(), [
    { project: 'even-1', kind: 'decision', state: 'current', count: 2 },
    { project: 'even-1', kind: 'issue', state: 'open', count: 2 },
    { project: 'odd-1', kind: 'decision', state: 'current', count: 4 },
  ]);
});

test('sessions are paged by cursor and counted by project', (t) => {
  const index = opened(t);
  for (let i = 0; i < 10; i++) {
    const at = `2026-11-0${1 + (i % 3)}T10:00:00.000Z`;
    const session: Session = {
      id: `s${i}`,
      agent: 'claude-code',
      project: i < 4 ? 'a-1' : 'b-1',
      startedAt: at,
      lastAt: at,
      status: 'completed',
      turns: 1,
    };
    index.upsertSession(session);
  }
  const whole = index.sessions().map(({ id }) => id);
  const walked: string[] = [];
  let after: Cursor | undefined;
  for (;;) {
    const page = index.sessions({ limit: 3, ...(after ? { after } : {}) });
    const last = page.at(-1);
    if (!last) break;
    walked.push(...page.map(({ id }) => id));
    after = { at: last.lastAt, id: last.id };
  }
  assert.deepEqual(walked, whole);
  assert.deepEqual(
    index.sessionCounts().map(({ project, agent, count }) => [project, agent, count]),
    [
      ['a-1', 'claude-code', 4],
      ['b-1', 'claude-code', 6],
    ],
  );
});

test('injections of a memory are listed newest first', (t) => {
  const index = opened(t);
  const at = (day: number): string => `2026-11-0${day}T10:00:00.000Z`;
  index.recordInjection(
    [1, 3, 2].map((day) => ({
      at: at(day),
      session: `s${day}`,
      place: 'prompt',
      promptId: 'p',
      memory: 'm1',
      score: 0.5,
    })),
  );
  assert.deepEqual(
    index.injectionsOf('m1', 2).map((one) => one.at),
    [at(3), at(2)],
  );
  assert.equal(index.timesInjected('m1'), 3);
});
