/**
 * How far the spool has been worked off: everything before a position, a few beyond it, and what was tried before. Kept
 * as a short log whose last whole line counts, because it changes twice for each event and must outlive a SIGKILL; it is
 * not synced, since after a power cut a stale one only delivers again.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { FILE_MODE, writeAtomically, readLines } from '../../files/index.ts';

/** Then the log is begun anew. Some thousand lines: read in a moment, rewritten rarely. */
const LOG_BYTES = 256 * 1024;

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

export class CursorFile {
  readonly #path: string;
  #file: FileHandle | undefined;
  #size = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** A cursor that cannot be read is as good as none: the events still there are delivered again. */
  async read(): Promise<Cursor> {
    let last = START;
    for await (const { bytes, ended } of readLines(this.#path)) {
      last = (ended && bytes && parseCursor(bytes.toString('utf8'))) || last;
    }
    return last;
  }

  async write(cursor: Cursor): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(cursor)}\n`);
    if (!this.#file || this.#size + line.length > LOG_BYTES) return this.#begin(line);
    // By position: what a full disk let through only in part is written over by the next.
    const { bytesWritten } = await this.#file.write(line, 0, line.length, this.#size);
    if (bytesWritten === line.length) this.#size += line.length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #begin(line: Buffer): Promise<void> {
    await this.close();
    await writeAtomically(this.#path, line, { synced: false });
    this.#file = await open(this.#path, 'r+', FILE_MODE);
    this.#size = line.length;
  }
}

/** For sets and maps. */
export function positionKey({ segment, offset }: Position): string {
  return `${segment}:${offset}`;
}

function parseCursor(json: string): Cursor | undefined {
  try {
    const { done, tries, ...position } = JSON.parse(json) as Partial<Cursor>;
    if (!isPosition(position)) return undefined;
    return {
      ...toPosition(position),
      done: (done ?? []).filter(isPosition).map(toPosition),
      tries: readTries(tries),
    };
  } catch {
    return undefined;
  }
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
