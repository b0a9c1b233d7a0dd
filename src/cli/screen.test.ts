import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantsColour } from './screen.ts';

for (const [env, terminal, colour] of [
  [{}, true, true],
  [{}, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
] as const) {
  test(`${JSON.stringify(env)} ${terminal ? 'at a terminal' : 'in a pipe'}: ${colour ? 'colour' : 'none'}`, () =>
    assert.equal(wantsColour(env, terminal), colour));
}
