import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownLength } from './sessions.ts';

test('a listed session is shown with as much of its id as tells it from the others', () => {
  assert.equal(shownLength([]), 8);
  assert.equal(shownLength(['15c96317-8579-49c2', '18a579b0-a0d2-440c']), 8);
  assert.equal(shownLength(['01a1e7a6-e756-72b7', '01a1e7a6-ba3e-7261']), 10);
  assert.equal(shownLength(['same-id-twice', 'same-id-twice']), 8);
});
