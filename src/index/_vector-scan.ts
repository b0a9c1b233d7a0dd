/**
 * The sign bits of all vectors in memory, 48 bytes each: which rows differ from a query in the fewest. The place of a
 * vector is its row, so there is nothing to look up. Knows no database.
 */

/** Rows a scan may return: anything, rows of these projects, or exactly these rows. */
export type ScanScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'projects'; readonly projects: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly number[] };

const FIRST_CAPACITY = 1024;

export class VectorScan {
  readonly #words: number;
  readonly #ids = new Map<string, number>();
  #bits: Uint32Array;
  /** Number of the project of each row; 0 where there is no vector. */
  #projects: Uint16Array;
  #distances: Uint16Array;
  #end = 0;
  #size = 0;

  constructor(bytes: number) {
    this.#words = bytes / 4;
    this.#bits = new Uint32Array(FIRST_CAPACITY * this.#words);
    this.#projects = new Uint16Array(FIRST_CAPACITY);
    this.#distances = new Uint16Array(FIRST_CAPACITY);
  }

  get size(): number {
    return this.#size;
  }

  put(row: number, bits: Uint8Array, project: string): void {
    if (row >= this.#projects.length) this.#grow(row + 1);
    new Uint8Array(this.#bits.buffer).set(bits, row * this.#words * 4);
    if (this.#projects[row] === 0) this.#size++;
    this.#projects[row] = this.#idOf(project);
    this.#end = Math.max(this.#end, row + 1);
  }

  /** The `count` nearest rows or a few more, in no order. */
  nearest(query: Uint8Array, count: number, scope: ScanScope): readonly number[] {
    const asked = new Uint32Array(query.buffer.slice(query.byteOffset, query.byteOffset + this.#words * 4));
    const wanted = this.#wanted(scope);
    const histogram = new Uint32Array(this.#words * 32 + 1);
    const rows = scope.kind === 'rows' ? scope.rows : undefined;
    const end = rows?.length ?? this.#end;
    for (let i = 0; i < end; i++) {
      const row = rows ? (rows[i] ?? 0) : i;
      const project = this.#projects[row] ?? 0;
      if (project === 0 || (wanted && !wanted[project])) continue;
      const distance = this.#distance(asked, row);
      this.#distances[row] = distance;
      histogram[distance] = (histogram[distance] ?? 0) + 1;
    }
    const limit = reached(histogram, count);
    const found: number[] = [];
    for (let i = 0; i < end; i++) {
      const row = rows ? (rows[i] ?? 0) : i;
      const project = this.#projects[row] ?? 0;
      if (project === 0 || (wanted && !wanted[project])) continue;
      if ((this.#distances[row] ?? 0) <= limit) found.push(row);
    }
    return found;
  }

  #distance(asked: Uint32Array, row: number): number {
    const bits = this.#bits;
    const start = row * this.#words;
    let distance = 0;
    for (let word = 0; word < asked.length; word++) {
      let x = (asked[word] ?? 0) ^ (bits[start + word] ?? 0);
      x -= (x >>> 1) & 0x55555555;
      x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
      distance += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return distance;
  }

  /** By number of the project, whether its rows may be returned; nothing where all may. */
  #wanted(scope: ScanScope): Uint8Array | undefined {
    if (scope.kind !== 'projects') return undefined;
    const wanted = new Uint8Array(this.#ids.size + 1);
    for (const project of scope.projects) {
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
    const bits = new Uint32Array(capacity * this.#words);
    bits.set(this.#bits);
    const projects = new Uint16Array(capacity);
    projects.set(this.#projects);
    this.#bits = bits;
    this.#projects = projects;
    this.#distances = new Uint16Array(capacity);
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
