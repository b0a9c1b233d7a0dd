/**
 * The sign bits of all vectors in memory, 48 bytes each: which rows differ from a query in the fewest. The place of a
 * vector is its row, so there is nothing to look up. Knows no database.
 */

import { bitTable, type BitTable } from './bit-distances.ts';

/** Rows a scan may return: of these projects, and among these rows. All, where neither is said. */
export interface ScanScope {
  readonly projects?: readonly string[] | undefined;
  readonly rows?: readonly number[] | undefined;
}

const FIRST_CAPACITY = 1024;

/** How many rows are looked at to learn how near the nearest are, and for how many more than wanted. */
const SAMPLE = { rows: 16_384, more: 2, slack: 8 } as const;

/** Rows beside each other: from one up to another. */
type Run = [from: number, to: number];

export class VectorScan {
  readonly #table: BitTable;
  /** Projects are numbered from 1. */
  readonly #numbers = new Map<string, number>();
  /** Where the rows of each project stand, by its number. A row that has moved on stands in both. */
  readonly #runs: Run[][] = [[]];
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
    const number = this.#numberOf(project);
    const before = this.#projects[row];
    if (before === 0) this.#size++;
    if (before !== number) this.#extend(this.#runs[number] ?? [], row);
    this.#projects[row] = number;
    this.#end = Math.max(this.#end, row + 1);
  }

  /** The `count` nearest rows or a few more of each scope, in no order. */
  nearest(query: Uint8Array, count: number, scopes: readonly ScanScope[]): readonly (readonly number[])[] {
    this.#table.ask(query);
    const whole: Run = [0, this.#end];
    const everywhere = scopes.some(({ projects, rows }) => rows || !projects);
    const runs = everywhere ? [whole] : this.#runsOf(scopes.flatMap(({ projects = [] }) => projects));
    for (const [from, to] of runs) this.#table.count(from, to);
    const { distances } = this.#table;
    return scopes.map(({ projects, rows }) => {
      const wanted = this.#wanted(projects);
      const view = { distances, projects: this.#projects, wanted, farthest: this.#table.rowBytes * 8 };
      if (rows) return nearestAmong(rows, view, count);
      return projects ? nearestIn(this.#runsOf(projects), view, count) : nearestOfAll(whole, view, count);
    });
  }

  /** By number of the project, whether its rows may be returned. Rows without a vector have none. */
  #wanted(projects: readonly string[] | undefined): Uint8Array {
    const wanted = new Uint8Array(this.#numbers.size + 1);
    for (const project of projects ?? this.#numbers.keys()) {
      const number = this.#numbers.get(project);
      if (number !== undefined) wanted[number] = 1;
    }
    return wanted;
  }

  #runsOf(projects: readonly string[]): readonly Run[] {
    return [...new Set(projects)].flatMap((project) => this.#runs[this.#numbers.get(project) ?? 0] ?? []);
  }

  /** Rows come in order, or the newest first. */
  #extend(runs: Run[], row: number): void {
    const last = runs.at(-1);
    if (last && row === last[1]) last[1]++;
    else if (last && row === last[0] - 1) last[0]--;
    else runs.push([row, row + 1]);
  }

  #numberOf(project: string): number {
    const known = this.#numbers.get(project);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(project, number);
    this.#runs[number] = [];
    return number;
  }

  #grow(rows: number): void {
    const capacity = Math.max(rows, Math.ceil(this.#projects.length * 1.5));
    this.#table.grow(capacity);
    const projects = new Uint16Array(capacity);
    projects.set(this.#projects);
    this.#projects = projects;
  }
}

/** What is known of each row, and by number of the project whether its rows may be returned. */
interface View {
  readonly distances: Uint16Array;
  readonly projects: Uint16Array;
  readonly wanted: Uint8Array;
  /** The greatest distance there can be. */
  readonly farthest: number;
}

function nearestAmong(
  rows: readonly number[],
  { distances, projects, wanted }: View,
  count: number,
): readonly number[] {
  return rows
    .filter((row) => wanted[projects[row] ?? 0] === 1)
    .toSorted((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0))
    .slice(0, count);
}

function nearestIn(runs: readonly Run[], view: View, count: number): readonly number[] {
  return rowsUpTo(enoughUpTo(count, runs, view), runs, view);
}

/** The same for very many rows: a sample tells how far to look for some more than enough, and the best of those are taken. */
function nearestOfAll(run: Run, view: View, count: number): readonly number[] {
  const step = Math.ceil((run[1] - run[0]) / SAMPLE.rows);
  if (step <= 1) return nearestIn([run], view, count);
  const sampled = Math.ceil((count * SAMPLE.more) / step) + SAMPLE.slack;
  const likely = rowsUpTo(enoughUpTo(sampled, [run], view, step), [run], view);
  if (likely.length < count) return nearestIn([run], view, count);
  return nearestIn(
    likely.map((row): Run => [row, row + 1]),
    view,
    count,
  );
}

function rowsUpTo(limit: number, runs: readonly Run[], { distances, projects, wanted }: View): number[] {
  const found: number[] = [];
  for (const [from, to] of runs)
    for (let row = from; row < to; row++)
      if ((distances[row] ?? 0) <= limit && wanted[projects[row] ?? 0] === 1) found.push(row);
  return found;
}

/** The distance up to which there are enough, looking at every `step`-th row. */
function enoughUpTo(
  enough: number,
  runs: readonly Run[],
  { distances, projects, wanted, farthest }: View,
  step = 1,
): number {
  const histogram = new Uint32Array(farthest + 1);
  for (const [from, to] of runs)
    for (let row = from; row < to; row += step)
      if (wanted[projects[row] ?? 0] === 1) {
        const distance = distances[row] ?? 0;
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
  let sum = 0;
  return histogram.findIndex((rows, distance) => (sum += rows) >= enough || distance === farthest);
}
