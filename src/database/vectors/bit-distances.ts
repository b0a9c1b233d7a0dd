/**
 * Counts the bits in which rows differ from a query. This loop decides how long a search by meaning takes, so it is in
 * WebAssembly: JavaScript has no instruction that counts bits and takes 5 times as long for a million rows.
 */

export interface BitTable {
  /** Bytes of a row, a multiple of 8. */
  readonly rowBytes: number;
  readonly capacity: number;
  /** The bits of all rows, valid until the next `grow`. */
  readonly bits: Uint8Array;
  grow(rows: number): void;
  /** Sets the query for the following counts. */
  ask(query: Uint8Array): void;
  /** Computes the distances of the rows from `from` up to `to`. */
  count(from: number, to: number): void;
  /** Distances by row, as far as they were computed, valid until the next `grow`. */
  readonly distances: Uint16Array;
}

type Kernel = (query: number, bits: number, rows: number, words: number, out: number) => void;

/** The used part of WebAssembly: TypeScript declares it only in its library for browsers. */
interface Wasm {
  readonly Memory: new (size: { readonly initial: number }) => Memory;
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly m: { readonly m: Memory } },
  ) => { readonly exports: { readonly d: Kernel } };
}

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };

const WORD_BYTES = 8;
const PAGE_BYTES = 65_536;

export function bitTable(bytes: number, rows: number): BitTable {
  const rowBytes = Math.ceil(bytes / WORD_BYTES) * WORD_BYTES;
  const memory = new wasm.Memory({ initial: 1 });
  const { d: kernel } = new wasm.Instance(new wasm.Module(PROGRAM), { m: { m: memory } }).exports;
  let capacity = 0;
  // The memory contains the query, then the bits of all rows, then their distances.
  const start = rowBytes;
  const table = {
    rowBytes,
    get capacity() {
      return capacity;
    },
    get bits() {
      return new Uint8Array(memory.buffer, start, capacity * rowBytes);
    },
    grow(wanted: number): void {
      const bytesNeeded = start + wanted * (rowBytes + 2);
      const pages = Math.ceil((bytesNeeded - memory.buffer.byteLength) / PAGE_BYTES);
      if (pages > 0) memory.grow(pages);
      // Bits of new rows take the place of the old distances.
      new Uint8Array(memory.buffer, start + capacity * rowBytes).fill(0);
      capacity = wanted;
    },
    ask(query: Uint8Array): void {
      const words = new Uint8Array(memory.buffer, 0, rowBytes);
      words.fill(0);
      words.set(query);
    },
    count(from: number, to: number): void {
      const out = start + capacity * rowBytes;
      if (to > from) kernel(0, start + from * rowBytes, to - from, rowBytes, out + from * 2);
    },
    get distances() {
      return new Uint16Array(memory.buffer, start + capacity * rowBytes, capacity);
    },
  };
  table.grow(rows);
  return table;
}

/* The program, in WebAssembly's binary form. In its text form:
 *
 *   (func (export "d") (param $query i32) (param $bits i32) (param $rows i32) (param $bytes i32) (param $out i32)
 *     (local $end i32) (local $q i32) (local $stop i32) (local $sum i64)
 *     (local.set $end (i32.add (local.get $out) (i32.shl (local.get $rows) (i32.const 1))))
 *     (local.set $stop (i32.add (local.get $query) (local.get $bytes)))
 *     (loop $row
 *       (local.set $q (local.get $query))
 *       (local.set $sum (i64.const 0))
 *       (loop $word
 *         (local.set $sum (i64.add (local.get $sum)
 *           (i64.popcnt (i64.xor (i64.load (local.get $q)) (i64.load (local.get $bits))))))
 *         (local.set $bits (i32.add (local.get $bits) (i32.const 8)))
 *         (br_if $word (i32.lt_u (local.tee $q (i32.add (local.get $q) (i32.const 8))) (local.get $stop))))
 *       (i32.store16 (local.get $out) (i32.wrap_i64 (local.get $sum)))
 *       (br_if $row (i32.lt_u (local.tee $out (i32.add (local.get $out) (i32.const 2))) (local.get $end)))))
 */
const CODE = hex(
  '02 03 7f 01 7e', // locals: end 5, q 6, stop 7; sum 8
  '20 04  20 02  41 01 74  6a  21 05',
  '20 00  20 03  6a  21 07',
  '03 40',
  '20 00 21 06  42 00 21 08',
  '03 40',
  '20 08  20 06 29 03 00  20 01 29 03 00  85  7b  7c  21 08',
  '20 01 41 08 6a 21 01',
  '20 06 41 08 6a 22 06  20 07  49  0d 00',
  '0b',
  '20 04  20 08 a7  3b 01 00',
  '20 04 41 02 6a 22 04  20 05  49  0d 00',
  '0b 0b',
);
const PROGRAM = Uint8Array.from([
  ...hex('00 61 73 6d  01 00 00 00'),
  ...section(1, hex('01 60 05 7f 7f 7f 7f 7f 00')), // one type: five i32, no result
  ...section(2, hex('01 01 6d 01 6d 02 00 01')), // import m.m: a memory of a page or more
  ...section(3, hex('01 00')),
  ...section(7, hex('01 01 64 00 00')), // export d
  ...section(10, [1, CODE.length, ...CODE]),
]);

/** Writes the length as one byte, which is enough for these sections. */
function section(id: number, content: readonly number[]): readonly number[] {
  return [id, content.length, ...content];
}

function hex(...lines: readonly string[]): readonly number[] {
  return lines.flatMap((line) => line.split(/ +/).map((byte) => Number.parseInt(byte, 16)));
}
