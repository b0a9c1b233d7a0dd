import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Memory, MemoryDraft, StoredTurn } from '../../core/index.ts';
import { sampleTurn } from '../../../test/support/sample-turn.ts';
import { localDistiller } from './local.ts';

const PREVIOUS = sampleTurn({
  id: 'turn-0',
  prompt: 'two couriers got one slot',
  answer: 'Fixed with a mutex.',
});

describe('a turn ends', () => {
  const mutex = memory({
    kind: 'bugfix',
    title: 'Slots are now guarded by a `sync.Mutex`',
    evidence: 'shown',
  });

  for (const prompt of [
    'nope. still happens with two replicas',
    'not quite, we run 4 replicas',
    'no, that is wrong',
  ])
    it(`the work before it that the user rejects: ${prompt}`, async () => {
      assert.deepEqual(await ended({ prompt, answer: 'I will look again.' }, [mutex]), ['m']);
    });

  it('the work before it that the agent takes back', async () => {
    const answer = "You're right, that was wrong: a mutex only helps inside one pod. I removed it.";
    assert.deepEqual(await ended({ prompt: 'we run 4 replicas??', answer }, [mutex]), ['m']);
  });

  it('a decision whose subject is gone', async () => {
    const decision = memory({ kind: 'decision', title: 'Use SwiftData for persistence', turn: 'long-ago' });
    assert.deepEqual(
      await ended({ prompt: 'we go on', answer: 'SwiftData is gone, GRDB is in.' }, [decision]),
      ['m'],
    );
    assert.deepEqual(await ended({ prompt: 'drop SwiftData completely', answer: 'Ok.' }, [decision]), ['m']);
  });

  it('an open issue that is reported as done', async () => {
    const issue = memory({
      kind: 'issue',
      title: 'Backfill of `trips_daily` for 2024 has not been run',
      turn: 'long-ago',
    });
    const answer = 'All 12 succeeded; the 2024 backfill of `trips_daily` is complete.';
    assert.deepEqual(await ended({ prompt: 'backfill ok?', answer }, [issue]), ['m']);
  });

  it('nothing that is only about something near, and no rule of the user', async () => {
    const shard = memory({
      kind: 'decision',
      title: 'Use Redis for the sessions of shard-1',
      turn: 'long-ago',
    });
    const rule = memory({ kind: 'preference', title: 'Never use Redis for money', evidence: 'said' });
    for (const prompt of [
      'remove the Redis import from bookings.ts',
      'the crash is gone, thanks',
      'should we drop Redis for the sessions?',
      'drop the Memcached of shard-2',
      'no, we use tabs here, not spaces',
    ])
      assert.deepEqual(await ended({ prompt, answer: 'Ok.' }, [shard, rule]), [], prompt);
  });

  it('nothing when "no" answers a question of the agent', async () => {
    const asking = { ...PREVIOUS, answer: 'Fixed with a mutex. Shall I also add a metric?' };
    assert.deepEqual(await ended({ prompt: 'no, that is fine', answer: 'Ok.' }, [mutex], asking), []);
  });
});

async function ended(
  parts: Partial<StoredTurn>,
  related: readonly Memory[],
  previous: StoredTurn = PREVIOUS,
): Promise<readonly string[]> {
  const turn = sampleTurn(parts);
  const { operations } = await localDistiller.distill({ turn, previous, related }, AbortSignal.timeout(1000));
  return operations.flatMap((operation) => (operation.op === 'end' ? [operation.id] : []));
}

function memory({ turn = 'turn-0', ...draft }: Partial<MemoryDraft> & { turn?: string }): Memory {
  return {
    kind: 'decision',
    title: '',
    body: '',
    facts: [],
    concepts: [],
    files: [],
    ...draft,
    id: 'm',
    project: 'engine-abc123',
    at: '2026-02-01T10:00:00Z',
    state: draft.kind === 'issue' ? 'open' : 'current',
    provenance: { agent: 'claude-code', session: 'session-1', turn, messages: [], by: 'local' },
  };
}
