/** Searches one FTS5 table by BM25, and counts how common words are. */
import type { SQLInputValue } from 'node:sqlite';
import { number, text } from '../columns.ts';
import type { Database } from '../connection.ts';
import { anyOf, narrowed, worthAsking, type Frequencies } from './narrow-query.ts';
import { factsReader, type TextFacts } from './text-facts.ts';

/** Counts of words are cached until the table has grown by this share. */
const STALE_SHARE = 0.01;

/** The count of a word in more rows is estimated from the first ones: at a million rows that saves 40 ms. */
const COUNTED_ROWS = 50_000;

/**
 * For a project with so large a share of the rows it is quicker to search all rows, with a higher limit, and to filter the
 * results, than to read the list of the project's rows.
 */
const LARGE = { rows: 20_000, share: 0.2, deeper: 1.5 } as const;

export interface TextHit {
  readonly row: number;
  /** Higher is better (FTS5 has the opposite sign). */
  readonly bm25: number;
}

export interface TextScope {
  /** Limits the search to these projects. */
  readonly projects?: readonly string[];
  /** A condition on the content table, e.g. `memory.kind = ?`; empty for none. */
  readonly where: string;
  readonly values: readonly SQLInputValue[];
}

/** The tables that have a full text. */
type Searched = 'memory' | 'turn';

export class FullText {
  readonly #db: Database;
  readonly #table: Searched;
  readonly #columns: readonly string[];
  readonly #counts = new Map<string, number>();
  #countedAt = -1;
  #writes = 0;

  constructor(db: Database, table: Searched, columns: readonly string[]) {
    this.#db = db;
    this.#table = table;
    this.#columns = columns;
  }

  put(row: number, project: string, values: readonly string[]): void {
    this.remove(row);
    const marks = this.#columns.map(() => '?').join(', ');
    this.#db.run(
      `INSERT INTO ${this.#table}_fts (rowid, ${this.#columns.join(', ')}, project) VALUES (?, ${marks}, ?)`,
      row,
      ...values,
      projectToken(project),
    );
    this.#writes++;
  }

  remove(row: number): void {
    this.#db.run(`DELETE FROM ${this.#table}_fts WHERE rowid = ?`, row);
    this.#writes++;
  }

  frequencies(tokens: Iterable<string>): Frequencies {
    const rows = this.#refresh();
    const counts = new Map<string, number>();
    for (const token of tokens) {
      const count = this.#counts.get(token) ?? this.#counted(token, rows);
      // A zero is not cached: the next write may use the word, and counting it is quick.
      if (count > 0) this.#counts.set(token, count);
      counts.set(token, count);
    }
    return { rows, counts };
  }

  search(
    tokens: readonly string[],
    scope: TextScope,
    limit: number,
    weights: readonly number[],
  ): readonly TextHit[] {
    const { rows, counts } = this.frequencies(tokens);
    const { projects, ...elsewhere } = scope;
    const asked = worthAsking({ rows, counts });
    if (asked.length === 0 || limit <= 0 || projects?.length === 0) return [];
    const within = projects ? this.#rowsOf(projects) : rows;
    if (projects && within >= LARGE.rows && within >= LARGE.share * rows) {
      const deeper = Math.ceil((limit * rows * LARGE.deeper) / within);
      const found = this.#ofProjects(this.search(tokens, elsewhere, deeper, weights), projects);
      if (found.length >= limit) return found.slice(0, limit);
    }
    const share = Math.min(1, within / Math.max(1, rows));
    const counted = asked.map((token) => ({ token, count: (counts.get(token) ?? 0) * share }));
    const { together, otherwise } = narrowed(counted, rows * share, this.#columns[0] ?? '');
    const found = this.#best(together, scope, limit, weights);
    if (found.length >= limit || otherwise === undefined) return found;
    return this.#best([...together, otherwise], scope, limit, weights);
  }

  facts(
    rows: readonly number[],
    tokens: readonly string[],
    weights: readonly number[],
  ): ReadonlyMap<number, TextFacts> {
    // Reads the content table of FTS5: reading through its virtual table takes twice as long.
    const columns = this.#columns.map((_, i) => `c${i}`).join(' || char(10) || ');
    const stored = this.#db.all(
      `SELECT id AS row, ${columns} AS said FROM ${this.#table}_fts_content
       WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(rows),
    );
    const read = factsReader(tokens, weights);
    return new Map(stored.map((row) => [number(row, 'row'), read(text(row, 'said'))]));
  }

  /** Returns the best rows of all expressions. */
  #best(
    expressions: readonly string[],
    scope: TextScope,
    limit: number,
    weights: readonly number[],
  ): readonly TextHit[] {
    const best = new Map<number, number>();
    for (const expression of expressions)
      for (const { row, bm25 } of this.#scored(expression, scope, limit, weights))
        best.set(row, Math.max(bm25, best.get(row) ?? 0));
    const hits = [...best].map(([row, bm25]) => ({ row, bm25 }));
    return hits.toSorted((a, b) => b.bm25 - a.bm25 || b.row - a.row).slice(0, limit);
  }

  #scored(
    expression: string,
    { projects, where, values }: TextScope,
    limit: number,
    weights: readonly number[],
  ): readonly TextHit[] {
    const fts = `${this.#table}_fts`;
    const join = where ? `JOIN ${this.#table} ON ${this.#table}.row = ${fts}.rowid` : '';
    const filter = where ? `AND ${where}` : '';
    const found = this.#db.all(
      `SELECT ${fts}.rowid AS row, bm25(${fts}, ${[...weights, 0].map(Number).join(', ')}) AS score
       FROM ${fts} ${join} WHERE ${fts} MATCH ? ${filter} ORDER BY score, ${fts}.rowid DESC LIMIT ?`,
      projects ? `(${expression}) AND ${inProjects(projects)}` : expression,
      ...values,
      limit,
    );
    return found.map((hit) => ({ row: number(hit, 'row'), bm25: -number(hit, 'score') }));
  }

  #counted(token: string, rows: number): number {
    const fts = `${this.#table}_fts`;
    const counted = this.#db.get(
      `SELECT count(*) AS count, max(row) AS last
       FROM (SELECT rowid AS row FROM ${fts} WHERE ${fts} MATCH ? LIMIT ${COUNTED_ROWS})`,
      anyOf([{ token }]),
    );
    const count = number(counted ?? {}, 'count');
    if (count < COUNTED_ROWS) return count;
    return Math.round((count * rows) / Math.max(1, number(counted ?? {}, 'last')));
  }

  #rowsOf(projects: readonly string[]): number {
    const { counts } = this.frequencies(projects.map(projectToken));
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  }

  #ofProjects(hits: readonly TextHit[], projects: readonly string[]): readonly TextHit[] {
    const rows = this.#db.all(
      `SELECT row FROM ${this.#table} WHERE row IN (SELECT value FROM json_each(?))
         AND project IN (SELECT value FROM json_each(?))`,
      JSON.stringify(hits.map(({ row }) => row)),
      JSON.stringify(projects),
    );
    const within = new Set(rows.map((row) => number(row, 'row')));
    return hits.filter(({ row }) => within.has(row));
  }

  #refresh(): number {
    // Uses the highest row instead of a count: counting a million rows takes longer than the search.
    const last = this.#db.get(`SELECT max(row) AS last FROM ${this.#table}`)?.['last'];
    const rows = typeof last === 'number' ? last : 0;
    const drift = Math.max(Math.abs(rows - this.#countedAt), this.#writes);
    if (this.#countedAt < 0 || drift > this.#countedAt * STALE_SHARE) {
      this.#counts.clear();
      this.#countedAt = rows;
      this.#writes = 0;
    }
    return rows;
  }
}

function inProjects(projects: readonly string[]): string {
  return `project : (${anyOf(projects.map((project) => ({ token: projectToken(project) })))})`;
}

/** Returns a token that no word equals. Characters the tokenizer would change are written as numbers. */
function projectToken(project: string): string {
  return `:${project.replace(/[^a-z\d_.-]/gu, (char) => `~${char.codePointAt(0)}~`)}`;
}
