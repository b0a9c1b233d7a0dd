/**
 * Vectors of memories or of turns: which rows still need one, keeping them, finding the nearest. A vector belongs to the
 * content its row had; a row with other words has none until it gets a new one. One whose vector is only to be made
 * better (`anew`) keeps it until then. Called by MemoryIndex only.
 */
import { number, text } from '../columns.ts';
import type { Database, Row } from '../connection.ts';
import type { QueryVector } from './embedding.ts';
import { bitBytes, cosine, decode, dot, encode, meanOf, queryBits } from './vector-code.ts';
import { VectorScan, type ScanScope } from './vector-scan.ts';

export type Tier = 'memory' | 'turn';

export interface VectorRow {
  readonly row: number;
  readonly vector: Float32Array;
}

/** By row. */
export type Cosines = ReadonlyMap<number, number>;

/** What is known of the vectors of one tier. */
interface Space {
  readonly model: string;
  readonly dimensions: number;
  readonly mean: Float32Array;
  /** Of how many vectors the mean was taken. */
  readonly meanOf: number;
}

export interface VectorCount {
  /** Without those that wait to be made anew. */
  readonly have: number;
  readonly wanted: number;
}

/** The mean of so many is the mean of all; before that it is taken anew whenever their number has doubled. */
const MEAN_SETTLED = 512;
/** How many of those with the likest signs are compared exactly. At a million this finds 99 of the 100 nearest. */
const RESCORED = 300;
/** Rows brought into memory at once: some ten milliseconds. */
const LOADED_AT_ONCE = 20_000;
/** While more than this share has no vector, nearness would mostly tell what was embedded first. */
const MOST_UNCOVERED = 0.1;

export class Vectors {
  readonly #db: Database;
  readonly #tier: Tier;
  #scan: VectorScan | undefined;
  #scanned = '';
  #stamp = 0;

  constructor(db: Database, tier: Tier) {
    this.#db = db;
    this.#tier = tier;
  }

  get model(): string | undefined {
    return this.#space()?.model;
  }

  /** The row is new or has other words: what it had is gone, and it waits for a vector. */
  outdated(row: number): void {
    this.#delete(row);
    this.#db.run('INSERT OR REPLACE INTO unembedded VALUES (?, ?, 0)', this.#tier, row);
  }

  removed(row: number): void {
    this.#delete(row);
    this.#db.run('DELETE FROM unembedded WHERE tier = ? AND row = ?', this.#tier, row);
  }

  /** Vectors of another model are of no use: all rows wait again. Returns whether anything changed. */
  setModel(model: string): boolean {
    if (this.#space()?.model === model) return false;
    this.#db.run(`DELETE FROM ${this.#tier}_vector`);
    this.#db.run(`DELETE FROM ${this.#tier}_code`);
    this.#db.run(`INSERT OR REPLACE INTO unembedded SELECT '${this.#tier}', row, 0 FROM ${this.#tier}`);
    this.#keepSpace({ model, dimensions: 0, mean: new Float32Array(), meanOf: 0 });
    return true;
  }

  /** Rows that wait for a vector, newest first; those that have an older one after all others. */
  wanted(limit: number): readonly number[] {
    return this.#db
      .all('SELECT row FROM unembedded WHERE tier = ? ORDER BY anew, row DESC LIMIT ?', this.#tier, limit)
      .map((row) => number(row, 'row'));
  }

  put(rows: readonly VectorRow[]): void {
    const [first] = rows;
    const known = this.#space();
    if (!first || !known) return;
    const dimensions = known.dimensions || first.vector.length;
    const fitting = rows.filter(({ vector }) => vector.length === dimensions);
    const space = this.#centred({ ...known, dimensions }, fitting);
    for (const { row, vector } of fitting) {
      this.#write(row, vector, space);
      this.#db.run('DELETE FROM unembedded WHERE tier = ? AND row = ?', this.#tier, row);
    }
  }

  count(): VectorCount {
    const have = this.#db.get(`SELECT count(*) AS n FROM ${this.#tier}_vector`);
    const wanted = this.#db.get(
      'SELECT count(*) AS n, ifnull(sum(anew), 0) AS anew FROM unembedded WHERE tier = ?',
      this.#tier,
    );
    return {
      have: number(have ?? {}, 'n') - number(wanted ?? {}, 'anew'),
      wanted: number(wanted ?? {}, 'n'),
    };
  }

  /** Brings new vectors into memory, some at a time. Whether all are there. */
  load(): boolean {
    const space = this.#space();
    if (!space || space.dimensions === 0) return true;
    const now = `${space.model} ${space.meanOf}`;
    if (!this.#scan || this.#scanned !== now) {
      this.#scan = new VectorScan(bitBytes(space.dimensions));
      this.#scanned = now;
      this.#stamp = 0;
    }
    const rows = this.#db.all(
      `SELECT vector.row AS row, stamp, bits, project FROM ${this.#tier}_vector AS vector
       JOIN ${this.#tier} AS entry ON entry.row = vector.row WHERE stamp > ? ORDER BY stamp LIMIT ?`,
      this.#stamp,
      LOADED_AT_ONCE,
    );
    for (const row of rows) {
      this.#scan.put(number(row, 'row'), bytes(row, 'bits'), text(row, 'project'));
      this.#stamp = number(row, 'stamp');
    }
    return rows.length < LOADED_AT_ONCE;
  }

  /**
   * Rows near in meaning to a vector of the same model, with the cosine of each: the nearest first within each scope, a
   * few hundred. Nothing while vectors are still being loaded or made.
   */
  nearest(query: Float32Array, model: string, scopes: readonly ScanScope[]): readonly Cosines[] {
    const space = this.#space();
    if (!space || space.model !== model || space.dimensions !== query.length) return [];
    if (!this.load() || !this.#scan || !this.#isCovered(this.#scan.size)) return [];
    const bits = queryBits(query, space.mean);
    const near = this.#scan.nearest(bits, RESCORED, scopes);
    const cosines = this.#cosines(query, space, [...new Set(near.flat())]);
    return near.map((rows) => {
      const found = rows.flatMap((row) => {
        const cosine = cosines.get(row);
        return cosine === undefined ? [] : [[row, cosine] as const];
      });
      return new Map(found.toSorted((a, b) => b[1] - a[1]));
    });
  }

  #cosinesOf(query: Float32Array, model: string, rows: readonly number[]): Cosines {
    const space = this.#space();
    return space?.model === model ? this.#cosines(query, space, rows) : new Map();
  }

  /** The cosines of these rows, taken from what is known already where it is. */
  completed(query: QueryVector, known: readonly Cosines[], rows: readonly number[]): Cosines {
    const all = new Map(known.flatMap((cosines) => [...cosines]));
    const missing = rows.filter((row) => !all.has(row));
    for (const [row, cosine] of this.#cosinesOf(query.vector, query.model, missing)) all.set(row, cosine);
    return all;
  }

  /** All vectors of another index whose rows say the same as rows here; what is to be made anew there is so here. */
  takeFrom(schema: string): void {
    const tier = this.#tier;
    const content = tier === 'memory' ? 'content_hash' : 'hash';
    this.#db.run(`INSERT OR REPLACE INTO meta SELECT * FROM ${schema}.meta WHERE key = ?`, this.#metaKey());
    for (const [table, columns] of [
      [`${tier}_vector`, 'stamp, bits'],
      [`${tier}_code`, 'scale, codes'],
    ] as const)
      this.#db.run(
        `INSERT OR REPLACE INTO ${table} SELECT here.row, ${columns} FROM ${tier} AS here
         JOIN ${schema}.${tier} AS there ON there.id = here.id AND there.${content} = here.${content}
         JOIN ${schema}.${table} AS kept ON kept.row = there.row`,
      );
    this.#db.run(`DELETE FROM unembedded WHERE tier = ? AND row IN (SELECT row FROM ${tier}_vector)`, tier);
    this.#db.run(
      `INSERT INTO unembedded SELECT ?, here.row, 1 FROM ${schema}.unembedded AS waiting
       JOIN ${schema}.${tier} AS there ON there.row = waiting.row
       JOIN ${tier} AS here ON here.id = there.id JOIN ${tier}_vector AS kept ON kept.row = here.row
       WHERE waiting.tier = ? AND waiting.anew = 1`,
      tier,
      tier,
    );
  }

  #cosines(query: Float32Array, space: Space, rows: readonly number[]): Cosines {
    const atMean = dot(query, space.mean);
    const found = this.#db.all(
      `SELECT row, scale, codes FROM ${this.#tier}_code WHERE row IN (SELECT value FROM json_each(?))`,
      JSON.stringify(rows),
    );
    return new Map(found.map((row) => [number(row, 'row'), cosine(query, atMean, codeOf(row))]));
  }

  #isCovered(have: number): boolean {
    const most = Math.floor(have * MOST_UNCOVERED);
    const waiting = this.#db.get(
      'SELECT count(*) AS n FROM (SELECT 1 FROM unembedded WHERE tier = ? AND anew = 0 LIMIT ?)',
      this.#tier,
      most + 1,
    );
    return number(waiting ?? {}, 'n') <= most;
  }

  /** The space with a mean that fits: few vectors say little about it, so the first ones are kept anew as more come. */
  #centred(space: Space, coming: readonly VectorRow[]): Space {
    const rows = JSON.stringify(coming.map(({ row }) => row));
    const among = 'row IN (SELECT value FROM json_each(?))';
    const have = this.#db.get(`SELECT count(*) AS n FROM ${this.#tier}_vector`);
    const anew = this.#db.get(`SELECT count(*) AS n FROM ${this.#tier}_vector WHERE ${among}`, rows);
    const now = number(have ?? {}, 'n') - number(anew ?? {}, 'n') + coming.length;
    if (space.meanOf >= MEAN_SETTLED || now < space.meanOf * 2) {
      if (space.dimensions > 0 && space.mean.length > 0) return space;
    }
    const kept = this.#db
      .all(`SELECT row, scale, codes FROM ${this.#tier}_code WHERE NOT ${among}`, rows)
      .map((row) => ({ row: number(row, 'row'), vector: decode(codeOf(row), space.mean) }));
    const all = [...kept, ...coming];
    const mean = meanOf(
      all.map(({ vector }) => vector),
      space.dimensions,
    );
    const centred = { ...space, mean, meanOf: all.length };
    for (const { row, vector } of kept) this.#write(row, vector, centred);
    this.#keepSpace(centred);
    return centred;
  }

  #write(row: number, vector: Float32Array, space: Space): void {
    const { bits, codes, scale } = encode(vector, space.mean);
    this.#db.run(
      `INSERT OR REPLACE INTO ${this.#tier}_vector
       VALUES (?, (SELECT ifnull(max(stamp), 0) + 1 FROM ${this.#tier}_vector), ?)`,
      row,
      bits,
    );
    this.#db.run(
      `INSERT OR REPLACE INTO ${this.#tier}_code VALUES (?, ?, ?)`,
      row,
      scale,
      new Uint8Array(codes.buffer),
    );
  }

  #delete(row: number): void {
    this.#db.run(`DELETE FROM ${this.#tier}_vector WHERE row = ?`, row);
    this.#db.run(`DELETE FROM ${this.#tier}_code WHERE row = ?`, row);
  }

  #space(): Space | undefined {
    const row = this.#db.get('SELECT value FROM meta WHERE key = ?', this.#metaKey());
    if (!row) return undefined;
    const { mean, ...rest } = JSON.parse(text(row, 'value')) as Omit<Space, 'mean'> & {
      readonly mean: string;
    };
    const raw = Buffer.from(mean, 'base64');
    return { ...rest, mean: new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length)) };
  }

  #keepSpace({ mean, ...rest }: Space): void {
    const value = {
      ...rest,
      mean: Buffer.from(mean.buffer, mean.byteOffset, mean.byteLength).toString('base64'),
    };
    this.#db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', this.#metaKey(), JSON.stringify(value));
  }

  #metaKey(): string {
    return `vectors of ${this.#tier}`;
  }
}

function codeOf(row: Row): { readonly codes: Int8Array; readonly scale: number } {
  const raw = bytes(row, 'codes');
  return { codes: new Int8Array(raw.buffer, raw.byteOffset, raw.length), scale: number(row, 'scale') };
}

function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : new Uint8Array();
}
