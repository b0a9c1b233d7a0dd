/**
 * The word embeddings of the small model, 4 bits a value. Looked up outside of the graph, where they would take four
 * times the memory. Per row and group of 32 values: scale and lowest value as 16-bit floats, then the values, two in
 * a byte with the first in the low bits.
 */
import { TidemarkError } from '../../core/index.ts';
import { WIDTH } from './model.ts';

const GROUP = 32;
const GROUPS = WIDTH / GROUP;
const HEAD_BYTES = GROUPS * 4;
const ROW_BYTES = HEAD_BYTES + WIDTH / 2;

export interface WordTable {
  readonly rows: number;
  /** Writes the embedding of a word piece to `into` from `at` on. */
  read(id: number, into: Float32Array, at: number): void;
}

export function wordTable(bytes: Uint8Array): WordTable {
  const rows = bytes.length / ROW_BYTES;
  if (!Number.isInteger(rows) || rows === 0)
    throw new TidemarkError('model-unusable', 'the word table of the model is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    rows,
    read(id, into, at) {
      if (!(id >= 0 && id < rows)) throw new RangeError(`the word table has no row ${id}`);
      const head = id * ROW_BYTES;
      let next = head + HEAD_BYTES;
      for (let group = 0; group < GROUPS; group++) {
        const scale = halfFloat(view.getUint16(head + group * 4, true));
        const lowest = halfFloat(view.getUint16(head + group * 4 + 2, true));
        const end = at + (group + 1) * GROUP;
        for (let i = end - GROUP; i < end; i += 2) {
          const pair = bytes[next++] ?? 0;
          into[i] = lowest + scale * (pair & 15);
          into[i + 1] = lowest + scale * (pair >> 4);
        }
      }
    },
  };
}

/** Float16Array needs a newer Node. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
