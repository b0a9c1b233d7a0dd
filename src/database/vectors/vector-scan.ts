/**
 * Finds the rows whose sign bits differ least from those of a query. Keeps the bits of all vectors in memory, 48 bytes
 * each, at the place of their row number. Uses no database.
 */
import { bitTable, type BitTable } from './bit-distances.ts';

/** The rows a scan may return: rows of these projects, or these rows. All rows without both. */
export interface ScanScope {
  readonly projects?: readonly string[] | undefined;
  readonly rows?: readonly number[] | undefined;
}

const FIRST_CAPACITY = 1024;

/** A sample of this many rows estimates the distance of the nearest; more than the wanted number are selected by it. */
const SAMPLE = { rows: 16_384, more: 2, slack: 8 } as const;

/** Consecutive rows from `from` up to `to`. */
type Run = [from: number, to: number];

export class VectorScan {
  readonly #table: BitTable;
  /** Projects are numbered from 1. */
  readonly #numbers = new Map<string, number>();
  /** The rows of each project by its number. A row that moved to another project is in both. */
  readonly #runs: Run[][] = [[]];
  /** The number of the project by row; 0 without a vector. */
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

  /** Returns the `count` nearest rows of each scope or a few more, unordered. */
  nearest(query: Uint8Array, count: number, scopes: readonly ScanScope[]): readonly (readonly number[])[] {
    this.#table.ask(query);
    const all: Run = [0, this.#end];
    const everywhere = scopes.some(({ projects, rows }) => rows || !projects);
    const runs = everywhere ? [all] : this.#runsOf(scopes.flatMap(({ projects = [] }) => projects));
    for (const [from, to] of runs) this.#table.count(from, to);
    const { distances } = this.#table;
    return scopes.map(({ projects, rows }) => {
      const allowed = this.#allowed(projects);
      const view = { distances, projects: this.#projects, allowed, farthest: this.#table.rowBytes * 8 };
      if (rows) return nearestAmong(rows, view, count);
      return projects ? nearestIn(this.#runsOf(projects), view, count) : nearestOfAll(all, view, count);
    });
  }

  /** Returns 1 by number of each project whose rows may be returned. */
  #allowed(projects: readonly string[] | undefined): Uint8Array {
    const allowed = new Uint8Array(this.#numbers.size + 1);
    for (const project of projects ?? this.#numbers.keys()) {
      const number = this.#numbers.get(project);
      if (number !== undefined) allowed[number] = 1;
    }
    return allowed;
  }

  #runsOf(projects: readonly string[]): readonly Run[] {
    return [...new Set(projects)].flatMap((project) => this.#runs[this.#numbers.get(project) ?? 0] ?? []);
  }

  /** Extends the last run if possible: rows mostly arrive in order, or in reverse order. */
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

/** The distances and projects by row, and the projects whose rows may be returned. */
interface View {
  readonly distances: Uint16Array;
  readonly projects: Uint16Array;
  readonly allowed: Uint8Array;
  /** The greatest possible distance. */
  readonly farthest: number;
}

function nearestAmong(
  rows: readonly number[],
  { distances, projects, allowed }: View,
  count: number,
): readonly number[] {
  return rows
    .filter((row) => allowed[projects[row] ?? 0] === 1)
    .toSorted((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0))
    .slice(0, count);
}

function nearestIn(runs: readonly Run[], view: View, count: number): readonly number[] {
  return rowsUpTo(enoughUpTo(count, runs, view), runs, view);
}

/** Does the same for very many rows: a sample estimates a distance that selects more than enough rows. */
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

function rowsUpTo(limit: number, runs: readonly Run[], { distances, projects, allowed }: View): number[] {
  const found: number[] = [];
  for (const [from, to] of runs)
    for (let row = from; row < to; row++)
      if ((distances[row] ?? 0) <= limit && allowed[projects[row] ?? 0] === 1) found.push(row);
  return found;
}

/** Returns the distance within which there are enough rows, counting every `step`-th row. */
function enoughUpTo(
  enough: number,
  runs: readonly Run[],
  { distances, projects, allowed, farthest }: View,
  step = 1,
): number {
  const histogram = new Uint32Array(farthest + 1);
  for (const [from, to] of runs)
    for (let row = from; row < to; row += step)
      if (allowed[projects[row] ?? 0] === 1) {
        const distance = distances[row] ?? 0;
        histogram[distance] = (histogram[distance] ?? 0) + 1;
      }
  let sum = 0;
  return histogram.findIndex((rows, distance) => (sum += rows) >= enough || distance === farthest);
}
