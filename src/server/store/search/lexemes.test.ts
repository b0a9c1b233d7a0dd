import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf } from '../../../../test/support/team.ts';
import { memoryOfEntry } from '../entries.ts';
import { lexemesOf, wordLexeme } from './lexemes.ts';

const TEAM = '7d1c4a9e-0000-4000-8000-000000000001';
const OTHER = '7d1c4a9e-0000-4000-8000-000000000002';
const lexemes = (title: string, given: Parameters<typeof entryOf>[1] = {}, team = TEAM) =>
  lexemesOf(team, memoryOfEntry('p', entryOf(title, { body: '', ...given })));

test('every lexeme starts with the prefix of its team', () => {
  const own = wordLexeme(TEAM, 'rotat');
  assert.notEqual(own, wordLexeme(OTHER, 'rotat'));
  assert.ok(lexemes('Tokens rotate').vector.includes(`'${own}':1A`));
});

test('the positions of a word are stored per column, up to the limit of PostgreSQL', () => {
  const { vector } = lexemes('Rotate', { body: 'rotate rotate', concepts: ['rotate'], files: [] });
  assert.ok(vector.includes(`'${wordLexeme(TEAM, 'rotat')}':1A,2C,3C,4B`));
  const many = lexemes('x', { body: 'again '.repeat(1000) });
  assert.ok(many.vector.includes(':') && !many.vector.includes('256C'));
});

test('quotes and backslashes stay inside their lexeme', () => {
  const { vector } = lexemes('x', { files: ["src/it's\\odd.ts"] });
  assert.match(vector, /it''s\\\\odd\.ts'/);
});

test('a text with too many words is searchable by the first of them', () => {
  const body = Array.from({ length: 20_000 }, (_, i) => `word${i}x`).join(' ');
  assert.ok(lexemes('x', { body }).terms.length <= 8000);
});
