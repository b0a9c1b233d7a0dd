/**
 * The sign bits of all vectors in memory, 48 bytes each: which rows differ from a query in the fewest. The place of a
 * vector is its row, so there is nothing to look up. Knows no database.
 */

import { bitTable, type BitTable } from './_bit-distances.ts';

/** Rows a scan may return: of these projects, and among these rows. All, where neither is said. */
export interface ScanScope {
  readonly projects?: readonly string[] | undefined;
  readonly rows?: readonly number[] | undefined;
}

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

  /** The `count` nearest rows or a few more of each scope, in no order. */
  nearest(query: Uint8Array, count: number, scopes: readonly ScanScope[]): readonly (readonly number[])[] {
    const distances = this.#table.distances(query, this.#end);
    return scopes.map((scope) => {
      const wanted = this.#wanted(scope);
      return scope.rows
        ? this.#among(scope.rows, wanted, distances, count)
        : this.#anywhere(wanted, distances, count);
    });
  }

  #anywhere(wanted: Uint8Array, distances: Uint16Array, count: number): readonly number[] {
    const projects = this.#projects;
    const histogram = new Uint32Array(this.#table.rowBytes * 8 + 1);
    for (let row = 0; row < distances.length; row++)
      if (wanted[projects[row] ?? 0] === 1) {
        const distance = distances[row] ?? 0;
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
    const limit = reached(histogram, count);
    const found: number[] = [];
    for (let row = 0; row < distances.length; row++)
      if ((distances[row] ?? 0) <= limit && wanted[projects[row] ?? 0] === 1) found.push(row);
    return found;
  }

  #among(
    rows: readonly number[],
    wanted: Uint8Array,
    distances: Uint16Array,
    count: number,
  ): readonly number[] {
    return rows
      .filter((row) => wanted[this.#projects[row] ?? 0] === 1)
      .toSorted((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0))
      .slice(0, count);
  }

  /** By number of the project, whether its rows may be returned. Rows without a vector have none. */
  #wanted({ projects }: ScanScope): Uint8Array {
    const wanted = new Uint8Array(this.#ids.size + 1);
    const named = projects ?? this.#ids.keys();
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
  return histogram.findIndex((rows, distance) => (sum += rows) >= count || distance === histogram.length - 1);
}
