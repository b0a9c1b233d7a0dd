/** Memories in the index: rows, the files they mention, full text, search. */
import type { SQLInputValue } from 'node:sqlite';
import {
  given,
  SOURCE_MAKER,
  type Agent,
  type Memory,
  type MemoryKind,
  type MemoryState,
} from '../core/index.ts';
import { INSERT_MEMORY, memoryOf, memoryValues, UPDATE_MEMORY, type MemoryEntry } from './_memory-row.ts';
import { idsBeginning } from './_records.ts';
import { findCandidates, type Candidate } from './_memory-search.ts';
import { putTitle, removeTitle } from './_similar-titles.ts';
import type { Tables } from './_tables.ts';
import { count, number, optionalNumber, optionalText, text } from './columns.ts';
import type { Database, Row } from './connection.ts';
import type { TextScope } from './text/full-text.ts';
import { searchable, searchableHash } from './text/searchable.ts';
import { indexText } from './text/tokens.ts';
import type { Frequencies } from './text/narrow-query.ts';
import type { ScanScope } from './vectors/vector-scan.ts';
import type { Cosines, QueryVector } from './vectors/vectors.ts';

export interface MemoryFilter {
  readonly project?: string | readonly string[];
  readonly kind?: MemoryKind | readonly MemoryKind[];
  readonly state?: MemoryState | readonly MemoryState[];
  /** The coding agent of its session. */
  readonly agent?: Agent | readonly Agent[];
  readonly session?: string;
  readonly turn?: string;
  /** A path or the end of one (`jwt.ts`, `auth/jwt.ts`) that the memory mentions. */
  readonly file?: string;
  /** Title or body contain one of these, in lower case. */
  readonly says?: readonly string[];
  /** The journal file that contains it. */
  readonly journal?: string;
  /** From this time on, ISO 8601. */
  readonly since?: string;
  /** Before this time, ISO 8601. */
  readonly until?: string;
}

/** A place in a list ordered by time; the next page starts after it. */
export interface Cursor {
  readonly at: string;
  readonly id: string;
}

export interface MemoryListing extends MemoryFilter {
  readonly order?: 'newest' | 'oldest';
  /** Returns only memories after this place in the order. */
  readonly after?: Cursor;
  readonly limit?: number;
  readonly offset?: number;
}

export interface MemoryQuestion {
  /** From `queryWords` and `tokensOf`. */
  readonly tokens: readonly string[];
  /** Each filter is searched up to the limit. */
  readonly filters: readonly MemoryFilter[];
  readonly limit: number;
  readonly weights: readonly number[];
  /** The number of entries before and after in the same session that count as neighbours; 0 for none. */
  readonly reach: number;
  /** Memories near it in meaning are candidates too. */
  readonly vector?: QueryVector;
  /** The number of nearest memories; the limit by default. */
  readonly nearest?: number;
}

/** The number of new memories, of memories with a changed text (they need a new vector), and of unchanged ones. */
export interface Upserted {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
}

const DEFAULT_LIMIT = 100;

export function upsertMemories(tables: Tables, entries: readonly MemoryEntry[]): Upserted {
  const result = { added: 0, changed: 0, same: 0 };
  tables.transaction(() => {
    for (const entry of entries) result[putOne(tables, entry)]++;
  });
  return result;
}

export function removeMemories(tables: Tables, ids: readonly string[]): number {
  return tables.transaction(() => {
    let removed = 0;
    for (const id of ids) {
      const found = tables.get('SELECT row FROM memory WHERE id = ?', id);
      if (!found) continue;
      const row = number(found, 'row');
      tables.memoryText.remove(row);
      tables.memoryVectors.removed(row);
      removeTitle(tables, id);
      tables.run('DELETE FROM memory_file WHERE memory = ?', id);
      removed += tables.run('DELETE FROM memory WHERE row = ?', row);
    }
    return removed;
  });
}

/** Finds a memory by its id, its short id, or a beginning of either that no other memory has. */
export function memory(db: Database, idOrPrefix: string): Memory | undefined {
  const row = rowOf(db, idOrPrefix);
  return row && memoryOf(row);
}

/** Returns the memory with its place in the journal. */
export function memoryEntry(db: Database, idOrPrefix: string): MemoryEntry | undefined {
  const row = rowOf(db, idOrPrefix);
  if (!row) return undefined;
  const place = { journal: optionalText(row, 'journal'), line: optionalNumber(row, 'line') };
  return { memory: memoryOf(row), ...given(place) };
}

/** Returns the memories that a turn ended. */
export function endedIn(db: Database, turn: string): readonly Memory[] {
  return db.all('SELECT * FROM memory WHERE ended_turn = ?', turn).map(memoryOf);
}

/** Returns the memories that this one replaced or resolved. */
export function endedBy(db: Database, id: string): readonly Memory[] {
  return db.all('SELECT * FROM memory WHERE superseded_by = ? OR resolved_by = ?', id, id).map(memoryOf);
}

export function memoriesBy(db: Database, listing: MemoryListing): readonly Memory[] {
  const { limit = DEFAULT_LIMIT, offset = 0 } = listing;
  const [only, ...others] = singles(listing);
  if (others.length === 0) return listed(db, only ?? listing, limit, offset);
  // One project and kind is read in order and stops at the limit; several at once would all be sorted first.
  const sign = listing.order === 'oldest' ? 1 : -1;
  return [only ?? listing, ...others]
    .flatMap((one) => listed(db, one, limit + offset, 0))
    .toSorted((a, b) => sign * (compare(a.at, b.at) || compare(a.id, b.id)))
    .slice(offset, offset + limit);
}

/** @param most stops counting there, because a project may have a million */
export function memoryCount(db: Database, filter: MemoryFilter = {}, most = -1): number {
  const { where, values } = scopeOf(filter);
  const counted = `SELECT 1 FROM memory ${where && `WHERE ${where}`} LIMIT ?`;
  return count(db.get(`SELECT count(*) AS n FROM (${counted})`, ...values, most));
}

/** Returns the time of the first memory from `since` on. */
export function nextMemoryAt(db: Database, since: string): string | undefined {
  const row = db.get('SELECT min(at) AS at FROM memory WHERE at >= ?', since);
  return row && optionalText(row, 'at');
}

/** Returns the matches of the full text, best first, then the nearest in meaning and the neighbours of the best. */
export function candidates(tables: Tables, { filters, ...asked }: MemoryQuestion): readonly Candidate[] {
  const near = asked.vector ? nearest(tables, asked.vector, filters) : [];
  const found = findCandidates(tables, tables.memoryText, {
    ...asked,
    scopes: filters.map(textScopeOf),
    also: near.flatMap((cosines) => [...cosines.keys()].slice(0, asked.nearest ?? asked.limit)),
  });
  if (!asked.vector || near.length === 0) return found;
  const rows = found.map(({ row }) => row);
  const cosines = tables.memoryVectors.completed(asked.vector, near, rows);
  return found.map((candidate) => ({ ...candidate, ...given({ cosine: cosines.get(candidate.row) }) }));
}

/** Returns the memories of candidates by row. */
export function memoriesAt(db: Database, rows: readonly number[]): ReadonlyMap<number, Memory> {
  const found = db.all(
    'SELECT * FROM memory WHERE row IN (SELECT value FROM json_each(?))',
    JSON.stringify(rows),
  );
  return new Map(found.map((row) => [number(row, 'row'), memoryOf(row)]));
}

export function memoryFrequencies(tables: Tables, tokens: Iterable<string>): Frequencies {
  return tables.memoryText.frequencies(tokens);
}

function nearest(
  tables: Tables,
  { vector, model }: QueryVector,
  filters: readonly MemoryFilter[],
): readonly Cosines[] {
  const scopes = filters.map((filter): ScanScope => {
    const { projects, where: beside } = textScopeOf(filter);
    if (!beside) return { projects };
    const { where, values } = scopeOf(filter);
    const rows = tables.all(`SELECT row FROM memory WHERE ${where}`, ...values);
    return { rows: rows.map((row) => number(row, 'row')) };
  });
  return tables.memoryVectors.nearest(vector, model, scopes);
}

function listed(db: Database, listing: MemoryListing, limit: number, offset: number): readonly Memory[] {
  const scope = scopeOf(listing);
  const [direction, beyond] = listing.order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const { after } = listing;
  // SQLite uses its index for the plain bound on the time, but not for the row value alone.
  const cursor = `memory.at ${beyond}= ? AND (memory.at, memory.id) ${beyond} (?, ?)`;
  // The client's own texts are only searched: the client loads them itself, so lists (brief, pages) leave them out.
  const own = listing.journal === undefined ? `memory.made_by != '${SOURCE_MAKER}'` : '';
  const where = [scope.where, own, after ? cursor : ''].filter(Boolean).join(' AND ');
  const rows = db.all(
    `SELECT * FROM memory ${where && `WHERE ${where}`} ORDER BY at ${direction}, id ${direction} LIMIT ? OFFSET ?`,
    ...scope.values,
    ...(after ? [after.at, after.at, after.id] : []),
    limit,
    offset,
  );
  return rows.map(memoryOf);
}

function rowOf(db: Database, idOrPrefix: string): Row | undefined {
  const exact = db.get('SELECT * FROM memory WHERE id = ?', idOrPrefix);
  if (exact || !idOrPrefix) return exact;
  const [only, ...others] = idsBeginning(db, 'memory', idOrPrefix, 2);
  return only === undefined || others.length > 0
    ? undefined
    : db.get('SELECT * FROM memory WHERE id = ?', only);
}

function putOne(tables: Tables, entry: MemoryEntry): keyof Upserted {
  const { id, project, files } = entry.memory;
  const columns = searchable(entry.memory);
  const hash = searchableHash(entry.memory, columns);
  const before = tables.get('SELECT row, content_hash, project FROM memory WHERE id = ?', id);
  const values = memoryValues(entry, hash);
  // Two statements, because an upsert that returns the row takes several times as long.
  const row = before ? number(before, 'row') : tables.insert(INSERT_MEMORY, ...values);
  if (before) tables.run(UPDATE_MEMORY, ...values, row);
  if (before && text(before, 'content_hash') === hash && text(before, 'project') === project) return 'same';
  putTitle(tables, entry.memory);
  tables.memoryText.put(row, project, columns.map(indexText));
  tables.memoryVectors.outdated(row);
  tables.run('DELETE FROM memory_file WHERE memory = ?', id);
  for (const path of files)
    tables.run('INSERT OR IGNORE INTO memory_file VALUES (?, ?, ?)', fileName(path), path, id);
  return before ? 'changed' : 'added';
}

function scopeOf(filter: MemoryFilter): Pick<TextScope, 'where' | 'values'> {
  const clauses: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (clause: string, ...given: SQLInputValue[]): void => {
    clauses.push(clause);
    values.push(...given);
  };
  for (const column of ['project', 'kind', 'state', 'agent'] as const) {
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
  if (filter.says !== undefined) {
    const said = `instr(lower(memory.title || ' ' || memory.body), value) > 0`;
    add(`EXISTS (SELECT 1 FROM json_each(?) WHERE ${said})`, JSON.stringify(filter.says));
  }
  return { where: clauses.join(' AND '), values };
}

/** The full text filters by project itself. */
function textScopeOf({ project, ...rest }: MemoryFilter): TextScope {
  const projects = typeof project === 'string' ? [project] : project;
  return { ...scopeOf(rest), ...given({ projects }) };
}

/** Splits a listing into one for each project and kind it names. */
function singles(listing: MemoryListing): readonly MemoryListing[] {
  const { project, kind, ...rest } = listing;
  const projects = project === undefined || typeof project === 'string' ? [project] : [...new Set(project)];
  const kinds = kind === undefined || typeof kind === 'string' ? [kind] : [...new Set(kind)];
  return projects.flatMap((inProject) =>
    kinds.map((ofKind) => ({ ...rest, ...given({ project: inProject, kind: ofKind }) })),
  );
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
