/** The expected ids are those of `Encoder` in train/inputs.py, computed with the tokenizer that the training uses. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTokenizer } from '../word-piece.ts';
import { encodePair, encodeText } from './_encode.ts';
import type { Pair, Task } from './model.ts';

const VOCABULARY = join(import.meta.dirname, '../../../plugin/model/vocab.txt');
const tokenizer = readTokenizer(readFileSync(VOCABULARY, 'utf8'));

const SHORT: readonly (Pair & { task: Task; ids: readonly number[]; first: number })[] = [
  {
    task: 'keep',
    a: 'user: Yes, use pg-boss.',
    b: 'assistant: Redis or pg-boss for the queue?',
    ids: [
      101, 1, 5310, 1024, 2748, 1010, 2224, 18720, 1011, 5795, 1012, 102, 3353, 1024, 2417, 2483, 2030, 18720,
      1011, 5795, 2005, 1996, 24240, 1029, 102,
    ],
    first: 12,
  },
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
  { task: 'keep', ids: 144, first: 83, sha256: '0e721991e109c06d' },
  { task: 'relate', ids: 128, first: 83, sha256: '7b399decf6861533' },
  { task: 'read', ids: 96, first: 51, sha256: '1b53da4f4cabca25' },
] as const;

for (const expected of LONG)
  test(`${expected.task}: a long first part keeps its beginning and its end, the second part fills the rest`, () => {
    const { ids, first } = encodePair(tokenizer, expected.task, { a: NUMBERS, b: NUMBERS });
    assert.deepEqual({ ids: ids.length, first }, { ids: expected.ids, first: expected.first });
    assert.equal(shortHash(ids), expected.sha256);
  });

test('the limits are those of the training', () => {
  const source = readFileSync(join(import.meta.dirname, '../../../train/inputs.py'), 'utf8');
  assert.match(source, /^LIMIT = \{'keep': 144, 'relate': 128, 'read': 96, /m);
  assert.match(source, /most = limit \/\/ 2 if task == 'read' else 80$/m);
});

test('texts are cut by code points, and line separators are white space', () => {
  const pair = { a: `${'👍'.repeat(1000)} x${' a'.repeat(2000)}`, b: Array(50).fill('b').join('\u2028') };
  const hashes = (['keep', 'relate', 'read'] as const).map((task) =>
    shortHash(encodePair(tokenizer, task, pair).ids),
  );
  assert.deepEqual(hashes, ['5c7a0ba6641346f5', 'bb84d7a47e1a87a9', '6c077ecf695c18cb']);
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
