/**
 * The vectors of memories or of turns: which rows need one, storing them, finding the nearest. A vector
 * belongs to one text; a row whose text changes has none until it gets a new one.
 */
import { count, number, text } from '../columns.ts';
import type { Database, Row } from '../connection.ts';
import { bitBytes, cosine, decode, dot, encode, meanOf, queryBits } from './vector-code.ts';
import { VectorScan, type ScanScope } from './vector-scan.ts';

/** The tables that have vectors. */
export type Tier = 'memory' | 'turn';

export interface VectorRow {
  readonly row: number;
  readonly vector: Float32Array;
}

/** A query as a vector, and the model that made it. */
export interface QueryVector {
  readonly model: string;
  readonly vector: Float32Array;
}

/** Cosines by row. */
export type Cosines = ReadonlyMap<number, number>;

/** The properties that the vectors of one tier share. */
interface Space {
  readonly model: string;
  readonly dimensions: number;
  readonly mean: Float32Array;
  /** The number of vectors the mean was computed from. */
  readonly meanOf: number;
}

export interface VectorCount {
  readonly have: number;
  readonly wanted: number;
}

/** The mean of this many vectors is final; before, it is computed again whenever their number has doubled. */
const MEAN_SETTLED = 512;
/** The number of rows with the most similar signs that are compared exactly. At a million rows this finds 99 of the 100 nearest. */
const RESCORED = 300;
/** Rows loaded at once: some ten milliseconds. */
const LOADED_AT_ONCE = 20_000;
/** While a larger share of rows has no vector, the nearest would mostly be those that were embedded first. */
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

  /** Drops the vector of a row that is new or has another text, and queues the row. */
  outdated(row: number): void {
    this.#delete(row);
    this.#db.run('INSERT OR IGNORE INTO unembedded VALUES (?, ?)', this.#tier, row);
  }

  removed(row: number): void {
    this.#delete(row);
    this.#db.run('DELETE FROM unembedded WHERE tier = ? AND row = ?', this.#tier, row);
  }

  /** Drops the vectors of another model and queues all rows. Returns whether anything changed. */
  setModel(model: string): boolean {
    if (this.#space()?.model === model) return false;
    this.#db.run(`DELETE FROM ${this.#tier}_vector`);
    this.#db.run(`DELETE FROM ${this.#tier}_code`);
    this.#db.run(`INSERT OR IGNORE INTO unembedded SELECT '${this.#tier}', row FROM ${this.#tier}`);
    this.#putSpace({ model, dimensions: 0, mean: new Float32Array(), meanOf: 0 });
    return true;
  }

  /** Returns rows without a vector, newest first. */
  missing(limit: number): readonly number[] {
    return this.#db
      .all('SELECT row FROM unembedded WHERE tier = ? ORDER BY row DESC LIMIT ?', this.#tier, limit)
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
    return {
      have: count(this.#db.get(`SELECT count(*) AS n FROM ${this.#tier}_vector`)),
      wanted: count(this.#db.get('SELECT count(*) AS n FROM unembedded WHERE tier = ?', this.#tier)),
    };
  }

  /** Loads some new vectors into memory and returns whether all are loaded. */
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
   * Returns the few hundred rows of each scope that are nearest to a vector of the same model, with their cosines, nearest
   * first. Returns nothing while vectors are still being loaded or made.
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

  /** Returns the cosines of these rows, from the known ones where possible. */
  completed({ vector, model }: QueryVector, known: readonly Cosines[], rows: readonly number[]): Cosines {
    const all = new Map(known.flatMap((cosines) => [...cosines]));
    const space = this.#space();
    if (space?.model !== model) return all;
    const missing = rows.filter((row) => !all.has(row));
    for (const [row, cosine] of this.#cosines(vector, space, missing)) all.set(row, cosine);
    return all;
  }

  /** Copies the vectors of another index for rows with the same text. Rows that are queued there stay queued here. */
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
         JOIN ${schema}.${table} AS stored ON stored.row = there.row
         WHERE there.row NOT IN (SELECT row FROM ${schema}.unembedded WHERE tier = '${tier}')`,
      );
    this.#db.run(`DELETE FROM unembedded WHERE tier = ? AND row IN (SELECT row FROM ${tier}_vector)`, tier);
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
    const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM unembedded WHERE tier = ? LIMIT ?)';
    return count(this.#db.get(sql, this.#tier, most + 1)) <= most;
  }

  /** Returns the space with a mean that includes the new rows. While there are few vectors, it encodes them again. */
  #centred(space: Space, added: readonly VectorRow[]): Space {
    const rows = JSON.stringify(added.map(({ row }) => row));
    const others = 'row NOT IN (SELECT value FROM json_each(?))';
    const have = count(this.#db.get(`SELECT count(*) AS n FROM ${this.#tier}_vector WHERE ${others}`, rows));
    const isSettled = space.meanOf >= MEAN_SETTLED || have + added.length < space.meanOf * 2;
    if (isSettled && space.mean.length > 0) return space;
    const stored = this.#db
      .all(`SELECT row, scale, codes FROM ${this.#tier}_code WHERE ${others}`, rows)
      .map((row) => ({ row: number(row, 'row'), vector: decode(codeOf(row), space.mean) }));
    const all = [...stored, ...added];
    const mean = meanOf(
      all.map(({ vector }) => vector),
      space.dimensions,
    );
    const centred = { ...space, mean, meanOf: all.length };
    for (const { row, vector } of stored) this.#write(row, vector, centred);
    this.#putSpace(centred);
    return centred;
  }

  #write(row: number, vector: Float32Array, space: Space): void {
    const { bits, codes, scale } = encode(vector, space.mean);
    this.#db.run(
      `INSERT OR REPLACE INTO ${this.#tier}_vector
       VALUES (?, (SELECT max(ifnull(max(stamp), 0), ?) + 1 FROM ${this.#tier}_vector), ?)`,
      row,
      this.#deletedStamp(),
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
    const stored = this.#db.get(`SELECT stamp FROM ${this.#tier}_vector WHERE row = ?`, row);
    if (!stored) return;
    const stamp = number(stored, 'stamp');
    if (stamp > this.#deletedStamp()) this.#db.put('meta', { key: this.#deletedKey(), value: `${stamp}` });
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

  #putSpace({ mean, ...rest }: Space): void {
    const value = {
      ...rest,
      mean: Buffer.from(mean.buffer, mean.byteOffset, mean.byteLength).toString('base64'),
    };
    this.#db.put('meta', { key: this.#metaKey(), value: JSON.stringify(value) });
  }

  /** The highest stamp of a deleted row. It is not given again: a reader would take the new vector for loaded. */
  #deletedStamp(): number {
    const row = this.#db.get('SELECT value FROM meta WHERE key = ?', this.#deletedKey());
    return row ? Number(text(row, 'value')) : 0;
  }

  #deletedKey(): string {
    return `deleted stamp of ${this.#tier}`;
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
