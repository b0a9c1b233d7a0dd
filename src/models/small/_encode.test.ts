/** The expected ids are those of `Encoder` in train/inputs.py, computed with the tokenizer that the training uses. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTokenizer } from '../word-piece.ts';
import { encodePair, encodePassage, encodeText } from './_encode.ts';
import type { Pair, PairTask } from './model.ts';

const VOCABULARY = join(import.meta.dirname, '../../../plugin/model/vocab.txt');
const tokenizer = readTokenizer(readFileSync(VOCABULARY, 'utf8'));

const SHORT: readonly (Pair & { task: PairTask; ids: readonly number[]; first: number })[] = [
  {
    task: 'relate',
    a: 'user: We moved the queue to Redis.',
    b: 'decision: Use pg-boss for the job queue.',
    ids: [
      101, 2, 5310, 1024, 2057, 2333, 1996, 24240, 2000, 2417, 2483, 1012, 102, 3247, 1024, 2224, 18720, 1011,
      5795, 2005, 1996, 3105, 24240, 1012, 102,
    ],
    first: 13,
  },
  {
    task: 'read',
    a: 'why does the café build fail?',
    b: '',
    ids: [101, 3, 2339, 2515, 1996, 7668, 3857, 8246, 1029, 102, 102],
    first: 10,
  },
];

for (const { task, a, b, ids, first } of SHORT)
  test(`${task}: a mark, both parts and their ends`, () => {
    assert.deepEqual(encodePair(tokenizer, task, { a, b }), { ids, first });
  });

const NUMBERS = Array.from({ length: 100 }, (_, i) => `n${i}`).join(' ');
const LONG = [
  { task: 'relate', ids: 128, first: 83, sha256: '7b399decf6861533' },
  { task: 'read', ids: 96, first: 51, sha256: '1b53da4f4cabca25' },
] as const;

for (const expected of LONG)
  test(`${expected.task}: a long first part keeps its beginning and its end, the second part fills the rest`, () => {
    const { ids, first } = encodePair(tokenizer, expected.task, { a: NUMBERS, b: NUMBERS });
    assert.deepEqual({ ids: ids.length, first }, { ids: expected.ids, first: expected.first });
    assert.equal(shortHash(ids), expected.sha256);
  });

test('a passage: a mark, what is around it, and every sentence with its end', () => {
  const passage = {
    about: 'asked: Redis or pg-boss for the queue?',
    sentences: ['user: Yes, use pg-boss.', 'user: '],
  };
  assert.deepEqual(encodePassage(tokenizer, passage), {
    ids: [
      101, 1, 2356, 1024, 2417, 2483, 2030, 18720, 1011, 5795, 2005, 1996, 24240, 1029, 102, 5310, 1024, 2748,
      1010, 2224, 18720, 1011, 5795, 1012, 102, 5310, 1024, 102,
    ],
    first: 15,
    spans: [
      [15, 25],
      [25, 28],
    ],
  });
});

test('the sentences of a long passage are shortened until all of them fit', () => {
  const {
    ids,
    first,
    spans = [],
  } = encodePassage(tokenizer, {
    about: NUMBERS,
    sentences: ['user: short', ...Array<string>(8).fill(NUMBERS)],
  });
  assert.equal(first, 75);
  assert.ok(ids.length <= 384, `${ids.length}`);
  assert.equal(spans.length, 9);
  assert.equal(spans.at(-1)?.[1], ids.length);
  const lengths = new Set(spans.slice(1).map(([start, end]) => end - start));
  assert.equal(lengths.size, 1, 'long ones are cut alike');
});

test('the limits are those of the training', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../train/inputs.py'), 'utf8');
  assert.match(source, /^LIMIT = \{'keep': 384, 'relate': 128, 'read': 96, /m);
  assert.match(source, /^ABOUT, SENTENCE = 72, 96$/m);
  assert.match(source, /most = limit \/\/ 2 if task == 'read' else 80$/m);
});

test('texts are cut by code points, and line separators are white space', () => {
  const pair = { a: `${'👍'.repeat(1000)} x${' a'.repeat(2000)}`, b: Array(50).fill('b').join('\u2028') };
  const hashes = (['relate', 'read'] as const).map((task) =>
    shortHash(encodePair(tokenizer, task, pair).ids),
  );
  assert.deepEqual(hashes, ['bb84d7a47e1a87a9', '6c077ecf695c18cb']);
});

test('the text of a vector has neither mark nor second part', () => {
  assert.deepEqual(encodeText(tokenizer, 'why does the café build fail?', 6), {
    ids: [101, 2339, 2515, 1996, 7668, 102],
    first: 6,
  });
});

function shortHash(ids: readonly number[]): string {
  return createHash('sha256').update(JSON.stringify(ids)).digest('hex').slice(0, 16);
}
