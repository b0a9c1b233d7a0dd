import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOf } from './_draft.ts';

test('a title that was cut is repeated in the body, within the limit of a body', () => {
  const draft = draftOf({ kind: 'discovery', title: 'x'.repeat(9000), body: 'more' });
  assert.deepEqual([draft?.title.length, draft?.body.length], [200, 8000]);
  const short = draftOf({ kind: 'discovery', title: 'y'.repeat(300), body: 'more' });
  assert.equal(short?.body, `${'y'.repeat(300)}\n\nmore`);
});

test('a long title ends with a whole phrase', () => {
  const title = `Every worker opens its own pool of connections ${'to the database of the region '.repeat(5)}(see the notes of ops)`;
  assert.match(draftOf({ kind: 'discovery', title })?.title ?? '', /region…$/);
});

test('a body that only repeats a title is left out, unless the title was cut', () => {
  assert.equal(draftOf({ kind: 'discovery', title: 'same', body: 'same' })?.body, '');
  assert.equal(
    draftOf({ kind: 'discovery', title: 'z'.repeat(300), body: 'z'.repeat(300) })?.body,
    'z'.repeat(300),
  );
});
