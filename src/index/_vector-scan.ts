/**
 * The sign bits of all vectors in memory, 48 bytes each: which rows differ from a query in the fewest. The place of a
 * vector is its row, so there is nothing to look up. Knows no database.
 */

import { bitTable, type BitTable } from './_bit-distances.ts';

/** Rows a scan may return: anything, rows of these projects, or exactly these rows. */
export type ScanScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'projects'; readonly projects: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly number[] };

const FIRST_CAPACITY = 1024;

export class VectorScan {
  readonly #table: BitTable;
  readonly #ids = new Map<string, number>();
  /** Number of the project of each row; 0 where there is no vector. */
  #projects = new Uint16Array(FIRST_CAPACITY);
  #end = 0;
  #size = 0;

  constructor(bytes: number) {
    this.#table = bitTable(bytes, FIRST_CAPACITY);
  }

  get size(): number {
    return this.#size;
  }

  put(row: number, bits: Uint8Array, project: string): void {
    if (row >= this.#projects.length) this.#grow(row + 1);
    this.#table.bits.set(bits, row * this.#table.rowBytes);
    if (this.#projects[row] === 0) this.#size++;
    this.#projects[row] = this.#idOf(project);
    this.#end = Math.max(this.#end, row + 1);
  }

  /** The `count` nearest rows or a few more, in no order. */
  nearest(query: Uint8Array, count: number, scope: ScanScope): readonly number[] {
    const distances = this.#table.distances(query, this.#end);
    const rows = this.#rowsIn(scope);
    const histogram = new Uint32Array(this.#table.rowBytes * 8 + 1);
    for (const row of rows) {
      const distance = distances[row] ?? 0;
      histogram[distance] = (histogram[distance] ?? 0) + 1;
    }
    const limit = reached(histogram, count);
    return Array.from(rows.filter((row) => (distances[row] ?? 0) <= limit));
  }

  #rowsIn(scope: ScanScope): Uint32Array {
    const wanted = this.#wanted(scope);
    const projects = this.#projects;
    if (scope.kind === 'rows')
      return Uint32Array.from(scope.rows.filter((row) => wanted[projects[row] ?? 0] === 1));
    const rows = new Uint32Array(this.#end);
    let size = 0;
    for (let row = 0; row < this.#end; row++) if (wanted[projects[row] ?? 0] === 1) rows[size++] = row;
    return rows.subarray(0, size);
  }

  /** By number of the project, whether its rows may be returned. Rows without a vector have none. */
  #wanted(scope: ScanScope): Uint8Array {
    const wanted = new Uint8Array(this.#ids.size + 1);
    const named = scope.kind === 'projects' ? scope.projects : this.#ids.keys();
    for (const project of named) {
      const id = this.#ids.get(project);
      if (id !== undefined) wanted[id] = 1;
    }
    return wanted;
  }

  #idOf(project: string): number {
    const known = this.#ids.get(project);
    if (known !== undefined) return known;
    const id = this.#ids.size + 1;
    this.#ids.set(project, id);
    return id;
  }

  #grow(rows: number): void {
    const capacity = Math.max(rows, Math.ceil(this.#projects.length * 1.5));
    this.#table.grow(capacity);
    const projects = new Uint16Array(capacity);
    projects.set(this.#projects);
    this.#projects = projects;
  }
}

/** The distance up to which there are enough. */
function reached(histogram: Uint32Array, count: number): number {
  let sum = 0;
  for (let distance = 0; distance < histogram.length; distance++) {
    sum += histogram[distance] ?? 0;
    if (sum >= count) return distance;
  }
  return histogram.length;
}
