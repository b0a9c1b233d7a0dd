/** Converts values to and from the database. A column of an unexpected type throws. Pure. */
import { TidemarkError } from '../../core/index.ts';
import type { Page, Row, Work } from './work.ts';

/** Replaces what PostgreSQL text cannot store, NUL and lone surrogates, in a string or a list. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  return Array.isArray(value) ? value.map(storable) : value;
}

/** Returns JSON for a parameter, with storable strings. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? storable(inner) : inner,
  );
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, 'text');
  return value;
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

/** A bigint arrives as text; ours stay below 2^53. */
export function number(row: Row, column: string): number {
  const value = row[column];
  const found = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
  if (Number.isNaN(found)) throw unexpected(column, 'a number');
  return found;
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}

export function list(row: Row, column: string): readonly string[] {
  const value = row[column];
  if (!Array.isArray(value)) throw unexpected(column, 'a list');
  return value.map(String);
}

/** Returns the time as ISO 8601. */
export function time(row: Row, column: string): string {
  const value = row[column];
  if (!(value instanceof Date)) throw unexpected(column, 'a time');
  return value.toISOString();
}

export function optionalTime(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : time(row, column);
}

export function oneOf<T extends string>(row: Row, column: string, set: readonly T[]): T {
  const value = text(row, column);
  const found = set.find((item) => item === value);
  if (found === undefined) throw unexpected(column, `one of ${set.join(', ')}`);
  return found;
}

/** Returns the first `limit` of the rows that were read, one more than the limit, and the cursor if there are more. */
export function pageOf<T>(rows: readonly T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, cursor: cursorOf(last) } : { items };
}

/**
 * SQL for the rows `wanted (project_id, id)` of a project `$2` and ids `$3`, to join a table with. OFFSET 0 makes PostgreSQL
 * look each id up by its key; it would else often read all rows of the project, because it takes them for few.
 */
export const WANTED =
  '(SELECT $2::uuid AS project_id, one.id FROM unnest($3::text[]) AS one (id) OFFSET 0) AS wanted';

/** Inserts rows of the same columns in one statement. @returns how many were inserted or updated */
export async function insertRows(
  work: Work,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  onConflict: string,
): Promise<number> {
  const [first] = rows;
  if (!first) return 0;
  const columns = Object.keys(first).join(', ');
  return work.run(
    `INSERT INTO tidemark.${table} (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::tidemark.${table}, $1) ON CONFLICT ${onConflict}`,
    [json(rows)],
  );
}

function unexpected(column: string, type: string): TidemarkError {
  return new TidemarkError('database-corrupt', `column ${column} is not ${type}`, {
    hint: 'Run: tidemark server doctor',
  });
}
