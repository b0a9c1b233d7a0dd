import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { said } from '../../test/support/plain-memory.ts';
import { sampleTurn } from '../../test/support/sample-turn.ts';
import type { Memory } from '../core/index.ts';
import { MemoryIndex } from '../database/index.ts';
import { relatedMemories } from './related.ts';

const TURN = sampleTurn({
  id: 'turn-30',
  startedAt: '2026-03-01T10:30:00.000Z',
  project: 'engine-abc123',
  prompt: 'yes, add it',
});

function related(t: TestContext, memories: readonly Memory[]): readonly string[] {
  const index = MemoryIndex.open(':memory:');
  t.after(() => index.close());
  index.upsertMemories(memories.map((memory) => ({ memory })));
  return relatedMemories(index, TURN, undefined, undefined).map(({ title, state }) => `${state}: ${title}`);
}

test('a memory that the rules ended by this or a later turn is still live before it', (t) => {
  const work = said('feature', 'deploy.sh restarts the queue', {}, 30);
  const issue = said('issue', 'deploy.sh lacks a restart', { state: 'resolved', resolvedBy: work.id }, 10);
  const later = said('decision', 'Use Memcached for sessions', {}, 50);
  const old = said('decision', 'Use Redis for sessions', { state: 'superseded', supersededBy: later.id }, 5);
  assert.deepEqual(related(t, [work, issue, later, old]).toSorted(), [
    'current: Use Redis for sessions',
    'open: deploy.sh lacks a restart',
  ]);
});

test('a memory that ended before the turn is left out', (t) => {
  const next = said('decision', 'Use Memcached for sessions', {}, 20);
  const old = said('decision', 'Use Redis for sessions', { state: 'superseded', supersededBy: next.id }, 5);
  const over = said(
    'issue',
    'The build is slow',
    { state: 'resolved', ended: { at: '2026-03-01T10:15:00.000Z', turn: 'turn-15', maker: 'claude' } },
    10,
  );
  const byHand = said('issue', 'The docs are old', { state: 'resolved' }, 12);
  assert.deepEqual(related(t, [next, old, over, byHand]), ['current: Use Memcached for sessions']);
});
