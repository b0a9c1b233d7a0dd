import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toReplyOperation, type RawOperation } from './_tidy-draft.ts';

const RAW: RawOperation = {
  op: 'add',
  id: '',
  ends: [],
  quote: '',
  kind: 'discovery',
  title: 'The pool holds 20 connections',
  body: '',
  reason: '',
  facts: [],
  concepts: [],
  files: [],
};
const conceptsOf = (...concepts: readonly string[]) =>
  toReplyOperation({ ...RAW, concepts }).draft?.concepts ?? [];

test('phrases are kept as they are, each once, and no more than eight', () => {
  const phrases = Array.from({ length: 12 }, (_, i) => `requests hang ${i}`);
  assert.deepEqual(conceptsOf(...phrases), phrases.slice(0, 8));
  assert.deepEqual(conceptsOf('too many clients', ' too many\n clients ', '', 'under load'), [
    'too many clients',
    'under load',
  ]);
});

test('a long title ends with a whole phrase', () => {
  const title = `The pool holds 20 connections ${'for each worker of a region '.repeat(4)}because the database`;
  assert.match(toReplyOperation({ ...RAW, title }).draft?.title ?? '', /worker…$/);
});

test('commas inside a phrase become blanks, whatever script they are of', () => {
  assert.deepEqual(conceptsOf('slow, then stuck', '遅い、止まる', '很慢，卡住', ','), [
    'slow then stuck',
    '遅い 止まる',
    '很慢 卡住',
  ]);
});

test('a phrase that is a whole sentence is cut', () => {
  const [phrase = ''] = conceptsOf('what they see when it bites '.repeat(5));
  assert.equal(phrase.length, 60);
  assert.match(phrase, /^what they see .*…$/);
});
