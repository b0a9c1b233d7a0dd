/**
 * Records how far the spool is processed: everything before a position, some events after it, and the tries so far. It
 * is a short log whose last complete line counts, because it changes twice per event and must survive SIGKILL. It is not
 * synced: after a power cut a stale cursor only delivers events again.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { FILE_MODE, writeAtomically, readLines } from '../../files/index.ts';

/** A longer log is replaced by a new one. */
const LOG_BYTES = 256 * 1024;

export interface Position {
  readonly segment: number;
  readonly offset: number;
}

export interface Cursor extends Position {
  /** Events after the position that are already done, because another session was faster. */
  readonly done: readonly Position[];
  /** How often the processing of each pending event was started, by id. */
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

  /** Returns the start when no line can be read: the events that still exist are delivered again. */
  async read(): Promise<Cursor> {
    let last = START;
    for await (const { bytes, ended } of readLines(this.#path)) {
      last = (ended && bytes && parseCursor(bytes.toString('utf8'))) || last;
    }
    return last;
  }

  async write(cursor: Cursor): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(cursor)}\n`);
    if (!this.#file || this.#size + line.length > LOG_BYTES) return this.#startLog(line);
    // By position: the next write replaces a line that a full disk cut off.
    const { bytesWritten } = await this.#file.write(line, 0, line.length, this.#size);
    if (bytesWritten === line.length) this.#size += line.length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #startLog(line: Buffer): Promise<void> {
    await this.close();
    await writeAtomically(this.#path, line, { synced: false });
    this.#file = await open(this.#path, 'r+', FILE_MODE);
    this.#size = line.length;
  }
}

/** Returns a key for sets and maps. */
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
