/** What goes into and comes out of the database, as the types the model wants. Pure. */
import { TidemarkError } from '../../core/index.ts';
import type { Row } from './work.ts';

/** PostgreSQL's text holds no NUL and no half of a character, in itself or in a list. */
export function holdable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD');
  return Array.isArray(value) ? value.map(holdable) : value;
}

/** JSON for a parameter; what text cannot hold would be refused inside as well. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? holdable(inner) : inner,
  );
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrong(column, 'text');
  return value;
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

/** A bigint comes as text: ours stay below 2^53. */
export function number(row: Row, column: string): number {
  const value = row[column];
  const found = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
  if (Number.isNaN(found)) throw wrong(column, 'a number');
  return found;
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}

export function list(row: Row, column: string): readonly string[] {
  const value = row[column];
  if (!Array.isArray(value)) throw wrong(column, 'a list');
  return value.map(String);
}

/** A time as ISO 8601. */
export function time(row: Row, column: string): string {
  const value = row[column];
  if (!(value instanceof Date)) throw wrong(column, 'a time');
  return value.toISOString();
}

export function optionalTime(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : time(row, column);
}

/** The value, if the closed set holds it. */
export function oneOf<T extends string>(row: Row, column: string, set: readonly T[]): T {
  const value = text(row, column);
  const found = set.find((item) => item === value);
  if (found === undefined) throw wrong(column, `one of ${set.join(', ')}`);
  return found;
}

/** Leaves the undefined ones out, as exactOptionalPropertyTypes wants. */
export function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // The cast is what the filter makes true: no undefined is left.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function wrong(column: string, wanted: string): TidemarkError {
  return new TidemarkError('database-corrupt', `column ${column} does not hold ${wanted}`, {
    hint: 'run `tidemark server doctor`',
  });
}
