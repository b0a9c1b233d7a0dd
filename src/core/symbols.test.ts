import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definedSymbols, namedSymbols } from './symbols.ts';

test('names of code are found in a sentence, words of a language are not', () => {
  for (const [text, names] of [
    ['rotateToken must not retry', ['rotateToken']],
    ['The TokenStore keeps hashes', ['TokenStore']],
    ['never call reset_database here', ['reset_database']],
    ['rotate() runs twice', ['rotate']],
    ['`rotate` runs twice', ['rotate']],
    ['`Index::contains` scans a `Vec`', ['Index', 'contains']],
    ['`store.rotate(token)` is slow', ['store', 'rotate']],
    ['Tokens rotate on every use, and the store is slow', []],
    ['GitHub and PostgreSQL are fine', ['GitHub', 'PostgreSQL']],
    ['run `npm test` first', []],
    ['the id `x` and MAX', []],
  ] as const)
    assert.deepEqual([...namedSymbols(text)], names, text);
});

for (const [line, name] of [
  ['export async function rotate(token) {', 'rotate'],
  ['   12→export const rotate = async (token: Token) => {', 'rotate'],
  ['export class TokenStore extends Store {', 'TokenStore'],
  ['  async rotate(token: Token): Promise<void> {', 'rotate'],
  ['  private static Token rotate(Token token) throws IOException {', 'rotate'],
  ['    #rotate(token) {', 'rotate'],
  ['def rotate(self, token):', 'rotate'],
  ['  def self.rotate(token)', 'rotate'],
  ['func (s *Store) Rotate(token string) error {', 'Rotate'],
  ['pub fn rotate(&self) -> Token {', 'rotate'],
  ['exports.rotate = function (token) {', 'rotate'],
  ['  rotate: (token) => {', 'rotate'],
  ['CREATE TABLE tokens (id int);', 'tokens'],
  ['interface Rotation {', 'Rotation'],
] as const)
  test(`a definition: ${line.trim()}`, () => assert.deepEqual(definedSymbols(line), [name]));

for (const line of [
  '  rotate(token);',
  'await rotate(token)',
  "import { rotate } from './rotate.ts';",
  '  } catch (error) {',
  '  while (rotate(token)) {',
  '// the rotate function',
])
  test(`no definition: ${line.trim()}`, () => assert.ok(!definedSymbols(line).includes('rotate')));

test('only wanted names are returned', () => {
  const code = 'function rotate() {\nfunction revoke() {';
  assert.deepEqual(definedSymbols(code, new Set(['revoke'])), ['revoke']);
  assert.deepEqual(definedSymbols(code, new Set()), []);
});

test('long and hostile lines take no time worth mentioning', () => {
  for (const piece of ['a ', '(', 'function ', 'a(', 'const a:', '`a.', 'a_']) {
    assert.ok(definedSymbols(`${piece.repeat(400 / piece.length)}\n`.repeat(2000)).length < 2000);
    assert.ok(namedSymbols(piece.repeat(50_000)).size < 2);
  }
});
