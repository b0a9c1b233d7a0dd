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
    // What may not be returned is further away than anything can be.
    const never = this.#table.rowBytes * 8 + 1;
    const wanted = this.#wanted(scope);
    const projects = this.#projects;
    for (let row = 0; row < distances.length; row++)
      if (wanted[projects[row] ?? 0] !== 1) distances[row] = never;
    if (scope.kind === 'rows') return among(scope.rows, distances, count, never);

    const histogram = new Uint32Array(never + 1);
    for (let row = 0; row < distances.length; row++) {
      const distance = distances[row] ?? never;
      histogram[distance] = (histogram[distance] ?? 0) + 1;
    }
    const limit = reached(histogram, count, never);
    const found: number[] = [];
    for (let row = 0; row < distances.length; row++) if ((distances[row] ?? never) <= limit) found.push(row);
    return found;
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

function among(
  rows: readonly number[],
  distances: Uint16Array,
  count: number,
  never: number,
): readonly number[] {
  return rows
    .filter((row) => (distances[row] ?? never) < never)
    .toSorted((a, b) => (distances[a] ?? never) - (distances[b] ?? never))
    .slice(0, count);
}

/** The distance up to which there are enough. */
function reached(histogram: Uint32Array, count: number, never: number): number {
  let sum = 0;
  for (let distance = 0; distance < never; distance++) {
    sum += histogram[distance] ?? 0;
    if (sum >= count) return distance;
  }
  return never - 1;
}
