import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoted, titleLexeme, wordLexeme } from './lexemes.ts';
import { cheapQueries, plainQueries } from './word-queries.ts';

const TEAM = '7d1c4a9e-0000-4000-8000-000000000001';
const word = (token: string): string => quoted(wordLexeme(TEAM, token));
const title = (token: string): string => quoted(titleLexeme(TEAM, token));
const asked = (counts: Readonly<Record<string, number>>) =>
  cheapQueries(TEAM, Object.keys(counts), { rows: 1_000_000, counts: new Map(Object.entries(counts)) });
const queries = (counts: Readonly<Record<string, number>>): readonly string[] =>
  asked(counts).queries.map(({ query }) => query);

test('rare words are looked up alone, in texts and in titles', () => {
  assert.deepEqual(queries({ tide: 10, harbour: 300 }), [
    word('tide'),
    title('tide'),
    word('harbour'),
    title('harbour'),
  ]);
});

test('a common word is intersected with the rarer ones inside the index', () => {
  const found = queries({ tide: 10, harbour: 300, fix: 19_000 });
  assert.ok(found.includes(`${word('fix')} & (${word('tide')} | ${word('harbour')})`));
  assert.ok(!found.includes(word('fix')));
});

test('if all words are common, only titles are searched and fewer rows are read', () => {
  const common = { fix: 90_000, test: 300_000 };
  assert.deepEqual(queries(common), [title('fix'), `${title('test')} & (${title('fix')})`]);
  assert.ok(asked(common).maxRows < asked({ tide: 10 }).maxRows);
});

test('a rarer word weighs more, and a word in the title adds weight', () => {
  const { queries } = asked({ tide: 10, harbour: 300 });
  const [tide = 0, titled = 0, harbour = 0] = queries.map(({ weight }) => weight);
  assert.ok(tide > harbour && titled > 0);
});

test('the fallback looks up each word alone', () => {
  const counts = new Map([['fix', 90_000]]);
  assert.deepEqual(
    plainQueries(TEAM, ['fix'], { rows: 1_000_000, counts }).queries.map(({ query }) => query),
    [word('fix')],
  );
});
