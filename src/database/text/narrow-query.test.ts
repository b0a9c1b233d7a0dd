import assert from 'node:assert/strict';
import { test } from 'node:test';
import { narrowed } from './narrow-query.ts';

const ROWS = 1_000_000;

test('words that few rows hold are asked for all at once', () => {
  const tokens = counted({ a: 10, b: 4000, c: 7000 });
  assert.deepEqual(narrowed(tokens, ROWS, 'title'), { together: ['"a" OR "b" OR "c"'] });
});

test('a common word only counts in rows that hold a rare one', () => {
  const tokens = counted({ a: 3000, b: 4000, c: 90_000 });
  assert.deepEqual(narrowed(tokens, ROWS, 'title'), {
    together: ['("a" OR "b") AND ("c")', '"a" OR "b"'],
  });
});

test('where the rare word stands in a handful of rows, what holds the common ones together is found too', () => {
  const tokens = counted({ a: 3, b: 30_000, c: 60_000, d: 90_000 });
  assert.deepEqual(narrowed(tokens, ROWS, 'title'), {
    together: ['("a") AND ("b" OR "c" OR "d")', '"a"', '"b" AND "c"'],
    otherwise: '"b" AND ("c" OR "d")',
  });
});

test('of one common word alone, titles come first', () => {
  assert.deepEqual(narrowed(counted({ a: 50_000 }), ROWS, 'title'), {
    together: ['title : "a"'],
    otherwise: '"a"',
  });
});

test('a quote in a word does no harm', () => {
  assert.deepEqual(narrowed(counted({ 'a"b': 1 }), ROWS, 'title'), { together: ['"a""b"'] });
});

function counted(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([token, count]) => ({ token, count }));
}
