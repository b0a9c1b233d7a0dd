import assert from 'node:assert/strict';
import { test } from 'node:test';
import { narrowed } from './narrow-query.ts';

const ROWS = 1_000_000;

test('words of few rows are searched all at once', () => {
  const tokens = counted({ a: 10, b: 4000, c: 7000 });
  assert.deepEqual(narrowed(tokens, ROWS, 'title'), { together: ['"a" OR "b" OR "c"'] });
});

test('a common word only counts in rows with a rare one', () => {
  const tokens = counted({ a: 3000, b: 4000, c: 90_000 });
  assert.deepEqual(narrowed(tokens, ROWS, 'title'), {
    together: ['("a" OR "b") AND ("c")', '"a" OR "b"'],
  });
});

test('if few rows contain the rare word, rows with all common words are found too', () => {
  const tokens = counted({ a: 3, b: 30_000, c: 60_000, d: 90_000 });
  assert.deepEqual(narrowed(tokens, ROWS, 'title'), {
    together: ['("a") AND ("b" OR "c" OR "d")', '"a"', '"b" AND "c"'],
    otherwise: '"b" AND ("c" OR "d")',
  });
});

test('a single common word is searched in titles first', () => {
  assert.deepEqual(narrowed(counted({ a: 50_000 }), ROWS, 'title'), {
    together: ['title : "a"'],
    otherwise: '"a"',
  });
});

test('a quote in a word is escaped', () => {
  assert.deepEqual(narrowed(counted({ 'a"b': 1 }), ROWS, 'title'), { together: ['"a""b"'] });
});

function counted(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([token, count]) => ({ token, count }));
}
