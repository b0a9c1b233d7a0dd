import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bitTable } from './bit-distances.ts';

const ones = (byte: number): number => byte.toString(2).replaceAll('0', '').length;

test('distances equal those counted bit by bit, also after growing', () => {
  let seed = 7;
  const random = (): number => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) >>> 24;
  for (const bytes of [4, 12, 48, 96]) {
    const table = bitTable(bytes, 4);
    const rows = Array.from({ length: 3000 }, () => Uint8Array.from({ length: bytes }, random));
    for (const [i, row] of rows.entries()) {
      if (i >= table.capacity) table.grow(i * 2);
      table.bits.set(row, i * table.rowBytes);
    }
    const query = Uint8Array.from({ length: bytes }, random);
    const counted = rows.map((row) => row.reduce((sum, byte, i) => sum + ones(byte ^ (query[i] ?? 0)), 0));
    table.ask(query);
    table.count(0, rows.length);
    assert.deepEqual(Array.from(table.distances.subarray(0, rows.length)), counted, `${bytes} bytes`);
    table.ask(rows[5] ?? query);
    table.count(5, 6);
    const some = table.distances;
    assert.deepEqual([some[4], some[5], some[6]], [counted[4], 0, counted[6]], 'only what is asked for');
  }
});
