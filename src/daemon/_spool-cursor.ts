/** How far the spool has been worked off: everything before a position, a few beyond it, and what was tried before. */
import { readFile } from 'node:fs/promises';
import { writeAtomically } from './durable.ts';

export interface Position {
  readonly segment: number;
  readonly offset: number;
}

export interface Cursor extends Position {
  /** Beyond the position, and done all the same: another session's event was quicker. */
  readonly done: readonly Position[];
  /** How often the processing of an event was begun, by its id, while it is not done. */
  readonly tries: Readonly<Record<string, number>>;
}

const START: Cursor = { segment: 0, offset: 0, done: [], tries: {} };

/** A cursor that cannot be read is as good as none: the events still there are delivered again. */
export async function readCursor(path: string): Promise<Cursor> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as Partial<Cursor>;
    const { done, tries, ...position } = value;
    if (!isPosition(position)) return START;
    return {
      ...toPosition(position),
      done: (done ?? []).filter(isPosition).map(toPosition),
      tries: readTries(tries),
    };
  } catch {
    return START;
  }
}

/** Not synced: a stale cursor only delivers again, a lost one too, and an fsync for each event would be felt. */
export async function writeCursor(path: string, cursor: Cursor): Promise<void> {
  await writeAtomically(path, `${JSON.stringify(cursor)}\n`, { synced: false });
}

/** For sets and maps. */
export function positionKey({ segment, offset }: Position): string {
  return `${segment}:${offset}`;
}

function toPosition({ segment, offset }: Position): Position {
  return { segment, offset };
}

function isPosition(value: Partial<Position> | null): value is Position {
  return isCount(value?.segment) && isCount(value?.offset);
}

function readTries(value: unknown): Record<string, number> {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return Object.fromEntries(entries.filter(([, tries]) => isCount(tries)));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
