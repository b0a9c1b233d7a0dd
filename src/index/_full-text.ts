/** BM25 over one FTS5 table: how common words are, which of them are worth asking for, and the best rows. */
import type { SQLInputValue } from 'node:sqlite';
import { number, text } from './_columns.ts';
import type { Database, Row } from './_database.ts';
import { worthAsking, type Frequencies } from './worth-asking.ts';

/** The counts of a word are kept until the table has grown by this share. */
const STALE_SHARE = 0.01;

export interface TextHit {
  readonly row: number;
  /** Higher is better (FTS5 counts downwards; turned round here). */
  readonly bm25: number;
}

/** What a row holds of the tokens asked for, pruned ones included. */
export interface TextFacts {
  /** How often each stands in it, a column's weight counting as often. Those it does not hold are left out. */
  readonly counts: ReadonlyMap<string, number>;
  /** Tokens in all. */
  readonly length: number;
}

export interface TextScope {
  /** Rows of one of these only. */
  readonly projects?: readonly string[];
  /** SQL over the content table, e.g. `memory.kind = ?`. Empty: everything. */
  readonly where: string;
  readonly values: readonly SQLInputValue[];
}

export class FullText {
  readonly #db: Database;
  readonly #table: 'memory' | 'turn';
  readonly #columns: readonly string[];
  readonly #counts = new Map<string, number>();
  #countedAt = -1;
  #writes = 0;

  constructor(db: Database, table: 'memory' | 'turn', columns: readonly string[]) {
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

  /** In how many rows each token stands, and how many rows there are. */
  frequencies(tokens: Iterable<string>): Frequencies {
    const rows = this.#refresh();
    const counts = new Map<string, number>();
    for (const token of tokens) {
      let count = this.#counts.get(token);
      if (count === undefined) {
        const row = this.#db.get(`SELECT doc FROM ${this.#table}_word WHERE term = ?`, token);
        count = row ? number(row, 'doc') : 0;
        // A word nobody has used yet may be used by the next write, and asking for one costs nothing.
        if (count > 0) this.#counts.set(token, count);
      }
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
    const asked = worthAsking(this.frequencies(tokens));
    if (asked.length === 0 || limit <= 0 || scope.projects?.length === 0) return [];
    const fts = `${this.#table}_fts`;
    const words = anyOf(asked);
    const inProjects = scope.projects && `project : (${anyOf(scope.projects.map(projectToken))})`;
    const join = scope.where ? `JOIN ${this.#table} ON ${this.#table}.row = ${fts}.rowid` : '';
    const filter = scope.where ? `AND ${scope.where}` : '';
    const found = this.#db.all(
      `SELECT ${fts}.rowid AS row, bm25(${fts}, ${[...weights, 0].map(Number).join(', ')}) AS score
       FROM ${fts} ${join} WHERE ${fts} MATCH ? ${filter} ORDER BY score, ${fts}.rowid DESC LIMIT ?`,
      inProjects ? `(${words}) AND ${inProjects}` : words,
      ...scope.values,
      limit,
    );
    return found.map((hit) => ({ row: number(hit, 'row'), bm25: -number(hit, 'score') }));
  }

  facts(
    rows: readonly number[],
    tokens: readonly string[],
    weights: readonly number[],
  ): ReadonlyMap<number, TextFacts> {
    const asked = new Set(tokens);
    // Where FTS5 itself keeps them: through its table the same takes twice as long.
    const columns = this.#columns.map((column, i) => `c${i} AS ${column}`).join(', ');
    const stored = this.#db.all(
      `SELECT id AS row, ${columns} FROM ${this.#table}_fts_content
       WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(rows),
    );
    return new Map(stored.map((row) => [number(row, 'row'), this.#factsOf(row, asked, weights)]));
  }

  #factsOf(row: Row, asked: ReadonlySet<string>, weights: readonly number[]): TextFacts {
    const counts = new Map<string, number>();
    let length = 0;
    this.#columns.forEach((column, i) => {
      for (const token of text(row, column).split(' ')) {
        length++;
        if (asked.has(token)) counts.set(token, (counts.get(token) ?? 0) + (weights[i] ?? 1));
      }
    });
    return { counts, length };
  }

  #refresh(): number {
    // The highest row stands for the number of rows: counting a million takes longer than the search.
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

function anyOf(tokens: readonly string[]): string {
  return tokens.map((token) => `"${token.replaceAll('"', '""')}"`).join(' OR ');
}

/** No word begins so, and the tokenizer neither cuts nor folds it: what it would is written as a number. */
function projectToken(project: string): string {
  return `:${project.replace(/[^a-z\d_.-]/gu, (char) => `~${char.codePointAt(0)}~`)}`;
}
