import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordTable } from './_words.ts';
import { WIDTH } from './model.ts';

/** 16-bit floats. */
const [ONE, MINUS_TWO, QUARTER, TINY] = [0x3c00, 0xc000, 0x3400, 0x0001];
const ROW_BYTES = 240;

/** Two rows: one group with the scale 1 from -2 on, all others with the scale 0.25 from the smallest number on. */
function table(): Uint8Array {
  const bytes = new Uint8Array(2 * ROW_BYTES);
  const view = new DataView(bytes.buffer);
  for (let group = 0; group < 12; group++) {
    view.setUint16(ROW_BYTES + group * 4, group === 1 ? ONE : QUARTER, true);
    view.setUint16(ROW_BYTES + group * 4 + 2, group === 1 ? MINUS_TWO : TINY, true);
  }
  bytes.fill(0xf1, ROW_BYTES + 48);
  return bytes;
}

test('a row is its lowest value plus scale times each half byte, the low half first', () => {
  const into = new Float32Array(3 * WIDTH);
  wordTable(table()).read(1, into, WIDTH);
  assert.deepEqual(Array.from(into.slice(0, WIDTH)), Array(WIDTH).fill(0));
  assert.deepEqual(Array.from(into.slice(WIDTH + 32, WIDTH + 36)), [-1, 13, -1, 13]);
  assert.deepEqual(
    Array.from(into.slice(WIDTH, WIDTH + 2)),
    [0.25 + 2 ** -24, 3.75 + 2 ** -24].map((value) => Math.fround(value)),
  );
  assert.equal(into[2 * WIDTH], 0);
});

test('a table that is cut off and an unknown word are errors', () => {
  assert.throws(() => wordTable(table().subarray(0, 300)), { code: 'model-unusable' });
  assert.throws(() => wordTable(table()).read(2, new Float32Array(WIDTH), 0), RangeError);
});
