import assert from 'node:assert/strict';
import { test } from 'node:test';
import { said, statement } from '../../test/support/plain-memory.ts';
import type { Evidence, Memory, MemoryKind } from '../core/index.ts';
import { replaces } from './compare/contradiction.ts';
import { mayEnd } from './may-end.ts';

const JITTER = said('preference', 'Always use jitter', { evidence: 'said' });
const REDIS = said('decision', 'Sessions are stored in Redis', { evidence: 'said' });

/** Target, evidence and kind of the ending statement, its text, asked for, whether it may end the target. */
const CASES: readonly (readonly [Memory, Evidence, MemoryKind | undefined, string, boolean, boolean])[] = [
  [JITTER, 'claimed', 'dead_end', 'Backoff without jitter failed', false, false],
  [JITTER, 'said', 'dead_end', 'Backoff without jitter failed', false, false],
  [JITTER, 'shown', 'bugfix', 'Retries use a fixed delay', true, false],
  [JITTER, 'said', 'preference', 'No jitter in tests', false, true],
  [REDIS, 'claimed', 'decision', 'Sessions are stored in Postgres', false, false],
  [REDIS, 'shown', 'feature', 'Sessions are stored in Postgres', false, false],
  [REDIS, 'shown', 'feature', 'Sessions are stored in Postgres', true, true],
  [REDIS, 'said', 'dead_end', 'Redis for sessions lost logins', false, true],
  [REDIS, 'quoted', 'decision', 'Sessions are stored in Postgres', true, false],
  [REDIS, 'claimed', undefined, 'Redis is gone', false, false],
  [
    said('decision', 'Use pg-boss instead of Redis'),
    'claimed',
    'dead_end',
    'Redis streams lost jobs',
    false,
    false,
  ],
  [said('pattern', 'Never mock the clock'), 'claimed', 'dead_end', 'Tried to mock the clock', false, false],
  [said('decision', 'Use Redis for sessions'), 'claimed', 'dead_end', 'Redis lost sessions', false, true],
  [said('discovery', 'The proxy allows 1 MB'), 'claimed', 'bugfix', 'The proxy allows 50 MB', false, true],
];

test('what the user ruled or decided ends only by the user’s words or request', () => {
  for (const [target, evidence, kind, text, asked, expected] of CASES)
    assert.equal(
      mayEnd(target, { evidence, kind, text, asked }),
      expected,
      `${evidence} ${kind}: ${text} → ${target.title}`,
    );
});

test('a claim of the agent does not replace a decision of the user by its words', () => {
  const earlier = statement('decision', 'Sessions are stored in Redis', { evidence: 'said' });
  const later = (evidence: Evidence) =>
    statement('decision', 'Sessions are stored in Postgres instead of Redis', { evidence }, 5);
  assert.equal(replaces(earlier, later('claimed')), false);
  assert.equal(replaces(earlier, later('said')), true);
});
