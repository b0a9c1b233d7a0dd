import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf } from './words.ts';

test('names are listed, and more than three are counted', () => {
  assert.equal(namesOf([]), 'no one yet');
  assert.equal(namesOf(['Ada']), 'Ada');
  assert.equal(namesOf(['Ada', 'Ben']), 'Ada and Ben');
  assert.equal(namesOf(['Ada', 'Ben', 'Cy']), 'Ada, Ben and Cy');
  assert.equal(namesOf(['Ada', 'Ben', 'Cy', 'Dee']), 'Ada, Ben and 2 others');
});
