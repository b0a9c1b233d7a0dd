/** Reads columns of a row as typed values. A column of another type means that the index is corrupt. */
import { TidemarkError } from '../core/index.ts';
import type { Row } from './connection.ts';

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrong(column, 'text');
  return value;
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number') throw wrong(column, 'a number');
  return value;
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}

export function list(row: Row, column: string): readonly string[] {
  const value = parsed(row, column);
  if (!Array.isArray(value)) throw wrong(column, 'a list');
  return value.map(String);
}

export function parsed(row: Row, column: string): unknown {
  try {
    return JSON.parse(text(row, column));
  } catch (cause) {
    throw wrong(column, 'JSON', cause);
  }
}

export function oneOf<T extends string>(row: Row, column: string, set: readonly T[]): T {
  const value = text(row, column);
  const found = set.find((item) => item === value);
  if (found === undefined) throw wrong(column, `one of ${set.join(', ')}`);
  return found;
}

/** Returns the column `n` of a row that counts something. */
export function count(row: Row | undefined): number {
  return number(row ?? {}, 'n');
}

function wrong(column: string, expected: string, cause?: unknown): TidemarkError {
  return new TidemarkError('index-corrupt', `column ${column} is not ${expected}`, {
    cause,
    hint: 'run `tidemark reindex`',
  });
}
