/** Memories in the index: rows, files they speak of, full text. Called by MemoryIndex only. */
import type { SQLInputValue } from 'node:sqlite';
import { SOURCE_MAKER, type Memory, type MemoryKind, type MemoryState } from '../core/index.ts';
import { putKin, removeKin } from './_kin.ts';
import { INSERT_MEMORY, memoryOf, memoryValues, UPDATE_MEMORY } from './_memory-row.ts';
import { findCandidates, type Candidate } from './_memory-search.ts';
import { defined, number, optionalNumber, optionalText, text } from './columns.ts';
import type { Database, Row } from './connection.ts';
import { FullText, type TextScope } from './text/full-text.ts';
import { embeddedText, MEMORY_COLUMNS, searchable, searchableHash } from './text/searchable.ts';
import { indexText } from './text/tokens.ts';
import type { Embedded, QueryVector, Unembedded } from './vectors/embedding.ts';
import type { ScanScope } from './vectors/vector-scan.ts';
import { Vectors, type Cosines } from './vectors/vectors.ts';

/** A memory and where it stands in the journal: path relative to the journal's root, line counted from 1. */
export interface MemoryEntry {
  readonly memory: Memory;
  readonly journal?: string;
  readonly line?: number;
}

export interface MemoryFilter {
  readonly project?: string | readonly string[];
  readonly kind?: MemoryKind | readonly MemoryKind[];
  readonly state?: MemoryState | readonly MemoryState[];
  readonly session?: string;
  readonly turn?: string;
  /** A path or the end of one (`jwt.ts`, `auth/jwt.ts`) that the memory speaks of. */
  readonly file?: string;
  /** The journal file it stands in. */
  readonly journal?: string;
  /** From this instant on, ISO 8601. */
  readonly since?: string;
  /** Before this instant, ISO 8601. */
  readonly until?: string;
}

/** A place in a list ordered by time: what comes after it is asked for by it, however far down it is. */
export interface Cursor {
  readonly at: string;
  readonly id: string;
}

export interface MemoryListing extends MemoryFilter {
  readonly order?: 'newest' | 'oldest';
  /** Only what comes after this one in the order. */
  readonly after?: Cursor;
  readonly limit?: number;
  readonly offset?: number;
}

export interface MemoryQuestion {
  /** From `queryWords` and `tokensOf`. */
  readonly tokens: readonly string[];
  /** Each is searched as deep as the limit says. */
  readonly filters: readonly MemoryFilter[];
  readonly limit: number;
  readonly weights: readonly number[];
  /** How many entries before and after in the same session count as near; 0 for none. */
  readonly reach: number;
  /** What is near to it in meaning is a candidate too. */
  readonly vector?: QueryVector;
  /** How many of the nearest are taken; as many as by words unless it says otherwise. */
  readonly nearest?: number;
}

/** How many were new, how many had other words than before (and need a new embedding), how many had the same. */
export interface Upserted {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
}

const DEFAULT_LIMIT = 100;

export class Memories {
  readonly fullText: FullText;
  readonly vectors: Vectors;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.fullText = new FullText(db, 'memory', MEMORY_COLUMNS);
    this.vectors = new Vectors(db, 'memory');
  }

  put(entries: readonly MemoryEntry[]): Upserted {
    const result = { added: 0, changed: 0, same: 0 };
    for (const entry of entries) result[this.#putOne(entry)]++;
    return result;
  }

  remove(ids: readonly string[]): number {
    let removed = 0;
    for (const id of ids) {
      const row = this.#db.get('SELECT row FROM memory WHERE id = ?', id);
      if (!row) continue;
      this.fullText.remove(number(row, 'row'));
      this.vectors.removed(number(row, 'row'));
      removeKin(this.#db, id);
      this.#db.run('DELETE FROM memory_file WHERE memory = ?', id);
      removed += this.#db.run('DELETE FROM memory WHERE id = ?', id);
    }
    return removed;
  }

  one(idOrPrefix: string): Memory | undefined {
    const row = this.#row(idOrPrefix);
    return row && memoryOf(row);
  }

  entry(idOrPrefix: string): MemoryEntry | undefined {
    const row = this.#row(idOrPrefix);
    if (!row) return undefined;
    return {
      memory: memoryOf(row),
      ...defined({ journal: optionalText(row, 'journal'), line: optionalNumber(row, 'line') }),
    };
  }

  by(listing: MemoryListing): readonly Memory[] {
    const { limit = DEFAULT_LIMIT, offset = 0 } = listing;
    const [only, ...others] = singles(listing);
    if (others.length === 0) return this.#listed(only ?? listing, limit, offset);
    // One at a time is read in order and stops at the limit; several at once would be sorted whole.
    const sign = listing.order === 'oldest' ? 1 : -1;
    return [only ?? listing, ...others]
      .flatMap((one) => this.#listed(one, limit + offset, 0))
      .toSorted((a, b) => sign * (compare(a.at, b.at) || compare(a.id, b.id)))
      .slice(offset, offset + limit);
  }

  count(filter: MemoryFilter): number {
    const { where, values } = scopeOf(filter);
    return number(
      this.#db.get(`SELECT count(*) AS n FROM memory ${where && `WHERE ${where}`}`, ...values) ?? {},
      'n',
    );
  }

  candidates({ filters, ...asked }: MemoryQuestion): readonly Candidate[] {
    const near = asked.vector ? this.#nearest(asked.vector, filters) : [];
    const found = findCandidates(this.#db, this.fullText, {
      ...asked,
      scopes: filters.map(textScopeOf),
      also: near.flatMap((cosines) => [...cosines.keys()].slice(0, asked.nearest ?? asked.limit)),
    });
    if (!asked.vector || near.length === 0) return found;
    const cosines = this.vectors.completed(
      asked.vector,
      near,
      found.map(({ row }) => row),
    );
    return found.map((candidate) => {
      const cosine = cosines.get(candidate.row);
      return cosine === undefined ? candidate : { ...candidate, cosine };
    });
  }

  unembedded(limit: number): readonly Unembedded[] {
    const memories = this.at(this.vectors.wanted(limit));
    return [...memories].map(([row, memory]) => ({
      tier: 'memory',
      row,
      hash: searchableHash(memory),
      text: embeddedText(memory),
    }));
  }

  putVectors(embedded: readonly Embedded[]): void {
    const now = this.at(embedded.map(({ row }) => row));
    this.vectors.put(
      embedded.filter(({ row, hash }) => {
        const memory = now.get(row);
        return memory && searchableHash(memory) === hash;
      }),
    );
  }

  #nearest({ vector, model }: QueryVector, filters: readonly MemoryFilter[]): readonly Cosines[] {
    const scopes = filters.map((filter): ScanScope => {
      const { projects, where: beside } = textScopeOf(filter);
      if (!beside) return { projects };
      const { where, values } = scopeOf(filter);
      const rows = this.#db.all(`SELECT row FROM memory WHERE ${where}`, ...values);
      return { rows: rows.map((row) => number(row, 'row')) };
    });
    return this.vectors.nearest(vector, model, scopes);
  }

  at(rows: readonly number[]): ReadonlyMap<number, Memory> {
    const found = this.#db.all(
      'SELECT * FROM memory WHERE row IN (SELECT value FROM json_each(?))',
      JSON.stringify(rows),
    );
    return new Map(found.map((row) => [number(row, 'row'), memoryOf(row)]));
  }

  #listed(listing: MemoryListing, limit: number, offset: number): readonly Memory[] {
    const scope = scopeOf(listing);
    const [direction, beyond] = listing.order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
    const { after } = listing;
    // The plain bound on the time lets the index find the place; the row value alone would not.
    const cursor = `memory.at ${beyond}= ? AND (memory.at, memory.id) ${beyond} (?, ?)`;
    // The client's own texts are found by searching; lists (brief, pages) would only repeat what it loads itself.
    const own = listing.journal === undefined ? `memory.made_by != '${SOURCE_MAKER}'` : '';
    const where = [scope.where, own, after ? cursor : ''].filter(Boolean).join(' AND ');
    const rows = this.#db.all(
      `SELECT * FROM memory ${where && `WHERE ${where}`} ORDER BY at ${direction}, id ${direction} LIMIT ? OFFSET ?`,
      ...scope.values,
      ...(after ? [after.at, after.at, after.id] : []),
      limit,
      offset,
    );
    return rows.map(memoryOf);
  }

  #row(idOrPrefix: string): Row | undefined {
    const exact = this.#db.get('SELECT * FROM memory WHERE id = ?', idOrPrefix);
    if (exact || !idOrPrefix) return exact;
    const found = this.#db.all(
      'SELECT * FROM memory WHERE id > ? AND id < ? LIMIT 2',
      idOrPrefix,
      `${idOrPrefix}~`,
    );
    return found.length === 1 ? found[0] : undefined;
  }

  #putOne({ memory, journal, line }: MemoryEntry): keyof Upserted {
    const columns = searchable(memory);
    const hash = searchableHash(memory, columns);
    const before = this.#db.get('SELECT row, content_hash, project FROM memory WHERE id = ?', memory.id);
    const values = memoryValues(memory, journal, line, hash);
    // Not one upsert that returns the row: SQLite sets up a table for what is returned, which takes most of the time.
    const row = before ? number(before, 'row') : this.#db.insert(INSERT_MEMORY, ...values);
    if (before) this.#db.run(UPDATE_MEMORY, ...values, row);
    if (before && text(before, 'content_hash') === hash && text(before, 'project') === memory.project)
      return 'same';
    putKin(this.#db, memory);

    this.fullText.put(row, memory.project, columns.map(indexText));
    this.vectors.outdated(row);
    this.#db.run('DELETE FROM memory_file WHERE memory = ?', memory.id);
    for (const path of memory.files) {
      this.#db.run('INSERT OR IGNORE INTO memory_file VALUES (?, ?, ?)', fileName(path), path, memory.id);
    }
    return before ? 'changed' : 'added';
  }
}

function scopeOf(filter: MemoryFilter): Pick<TextScope, 'where' | 'values'> {
  const clauses: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (clause: string, ...given: SQLInputValue[]): void => {
    clauses.push(clause);
    values.push(...given);
  };
  for (const column of ['project', 'kind', 'state'] as const) {
    const wanted = filter[column];
    if (wanted === undefined) continue;
    if (typeof wanted === 'string') add(`memory.${column} = ?`, wanted);
    else add(`memory.${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(wanted));
  }
  for (const column of ['session', 'turn', 'journal'] as const) {
    if (filter[column] !== undefined) add(`memory.${column} = ?`, filter[column]);
  }
  if (filter.since !== undefined) add('memory.at >= ?', filter.since);
  if (filter.until !== undefined) add('memory.at < ?', filter.until);
  if (filter.file !== undefined) {
    const path = filter.file.replace(/^\.?\//, '');
    const ends = `substr(path, -length(?) - 1) = '/' || ?`;
    add(
      `memory.id IN (SELECT memory FROM memory_file WHERE name = ? AND (path = ? OR ${ends}))`,
      fileName(path),
      path,
      path,
      path,
    );
  }
  return { where: clauses.join(' AND '), values };
}

/** Full text knows the project itself. */
function textScopeOf({ project, ...rest }: MemoryFilter): TextScope {
  const projects = typeof project === 'string' ? [project] : project;
  return { ...scopeOf(rest), ...defined({ projects }) };
}

/** The listing for each project and kind it asks for; none of both asks for all. */
function singles(listing: MemoryListing): readonly MemoryListing[] {
  const { project, kind, ...rest } = listing;
  const projects = project === undefined || typeof project === 'string' ? [project] : [...new Set(project)];
  const kinds = kind === undefined || typeof kind === 'string' ? [kind] : [...new Set(kind)];
  return projects.flatMap((inProject) =>
    kinds.map((ofKind) => ({ ...rest, ...defined({ project: inProject, kind: ofKind }) })),
  );
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
