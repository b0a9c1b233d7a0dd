import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTokenizer } from './_word-piece.ts';

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
const { encode } = readTokenizer(PIECES.join('\n'));
const pieces = (text: string, limit = 32) => encode(text, limit).map((id) => PIECES[id]);

test('words are cut into the longest pieces the vocabulary holds', () => {
  assert.deepEqual(pieces('tokens tokenize'), ['[CLS]', 'token', '##s', 'token', '##ize', '[SEP]']);
});

test('case and accents do not matter, punctuation stands alone', () => {
  assert.deepEqual(pieces('Café/a_Tokens.'), ['[CLS]', 'cafe', '/', 'a', '_', 'token', '##s', '.', '[SEP]']);
});

test('every Chinese character is a word', () => {
  assert.deepEqual(pieces('令牌'), ['[CLS]', '令', '牌', '[SEP]']);
});

test('a word of unknown pieces is unknown as a whole', () => {
  assert.deepEqual(pieces(`tokenx ${'a'.repeat(200)}`), ['[CLS]', '[UNK]', '[UNK]', '[SEP]']);
});

test('long texts are cut and still closed', () => {
  assert.deepEqual(pieces('a '.repeat(1000), 4), ['[CLS]', 'a', 'a', '[SEP]']);
});
