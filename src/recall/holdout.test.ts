import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHeldOut } from './holdout.ts';

const SESSIONS = Array.from(
  { length: 2000 },
  (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
);

test('isHeldOut selects about the configured share, always the same sessions', () => {
  for (const share of [0.1, 0.5]) {
    const held = SESSIONS.filter((session) => isHeldOut(session, share)).length / SESSIONS.length;
    assert.ok(Math.abs(held - share) < 0.04, `${share}: ${held}`);
  }
  const few = SESSIONS.filter((session) => isHeldOut(session, 0.1));
  assert.ok(
    few.every((session) => isHeldOut(session, 0.5)),
    'a larger share holds out the same and more',
  );
});

test('isHeldOut is false for a share of 0 and without a session', () => {
  assert.ok(!SESSIONS.some((session) => isHeldOut(session, 0)));
  assert.equal(isHeldOut('', 0.5), false);
});
