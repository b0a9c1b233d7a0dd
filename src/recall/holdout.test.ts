import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHeldOut } from './holdout.ts';

const SESSIONS = Array.from(
  { length: 2000 },
  (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
);

test('about the share that was asked for is held out, always the same ones', () => {
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

test('nothing is held out unless that is set, and never what belongs to no session', () => {
  assert.ok(!SESSIONS.some((session) => isHeldOut(session, 0)));
  assert.equal(isHeldOut('', 0.5), false);
});
