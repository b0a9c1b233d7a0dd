import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTokenizer } from './word-piece.ts';

const PIECES = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'token',
  '##s',
  '##ize',
  'cafe',
  '.',
  '/',
  '_',
  '令',
  '牌',
  'a',
];
const { encode, ids } = readTokenizer(PIECES.join('\n'));
const pieces = (text: string, limit = 32) => encode(text, limit).map((id) => PIECES[id]);

test('words are split into the longest pieces of the vocabulary', () => {
  assert.deepEqual(pieces('tokens tokenize'), ['[CLS]', 'token', '##s', 'token', '##ize', '[SEP]']);
});

test('case and accents are ignored, punctuation is a token of its own', () => {
  assert.deepEqual(pieces('Café/a_Tokens.'), ['[CLS]', 'cafe', '/', 'a', '_', 'token', '##s', '.', '[SEP]']);
});

test('invisible characters are removed, and separators of lines separate words', () => {
  assert.deepEqual(pieces('to\u2060ken\u00ads a\u2028a'), ['[CLS]', 'token', '##s', 'a', 'a', '[SEP]']);
});

test('ids has the whole text without opening and closing tokens', () => {
  assert.deepEqual(ids('a '.repeat(1000)).length, 1000);
  assert.equal(PIECES[ids('tokens')[1] ?? 0], '##s');
});

test('every Chinese character is a word', () => {
  assert.deepEqual(pieces('令牌'), ['[CLS]', '令', '牌', '[SEP]']);
});

test('a word with an unknown piece is one unknown token', () => {
  assert.deepEqual(pieces(`tokenx ${'a'.repeat(200)}`), ['[CLS]', '[UNK]', '[UNK]', '[SEP]']);
});

test('long texts are cut and keep the closing token', () => {
  assert.deepEqual(pieces('a '.repeat(1000), 4), ['[CLS]', 'a', 'a', '[SEP]']);
});
