/** Reads a file line by line with the memory of one line. Never interprets a line and never fails on a damaged one. */
import { type FileHandle } from 'node:fs/promises';
import { openRegular } from './bounded-read.ts';

const CHUNK_BYTES = 256 * 1024;
/** Far beyond any record of ours; a damaged file may be one endless line. */
const LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;

export interface Line {
  readonly offset: number;
  /** With its newline. */
  readonly length: number;
  /** Without its newline; undefined when it is longer than a line may be. */
  readonly bytes: Buffer | undefined;
  /** False for what follows the last newline. */
  readonly ended: boolean;
}

/** Yields the lines from `start` (inclusive) to `end` (exclusive). A missing file has none. */
export async function* readLines(path: string, start = 0, end = Infinity): AsyncGenerator<Line> {
  const file = await openIfThere(path);
  if (!file) return;
  try {
    yield* linesOf(file, start, end);
  } finally {
    await file.close();
  }
}

async function* linesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let offset = start;
  let position = start;
  const keep = (part: Buffer) => {
    length += part.length;
    if (length > LINE_BYTES) parts = [];
    else parts.push(part);
  };
  const take = (ended: boolean): Line => {
    const bytes = length > LINE_BYTES ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const line = { offset, length: length + (ended ? 1 : 0), bytes, ended };
    offset += line.length;
    length = 0;
    parts = [];
    return line;
  };
  for (;;) {
    const want = Math.min(CHUNK_BYTES, end - position);
    if (want <= 0) break;
    // A new buffer each time, because the yielded lines point into it.
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(want), 0, want, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let from = 0;
    for (;;) {
      const newline = buffer.subarray(0, bytesRead).indexOf(NEWLINE, from);
      if (newline < 0) break;
      keep(buffer.subarray(from, newline));
      yield take(true);
      from = newline + 1;
    }
    if (from < bytesRead) keep(buffer.subarray(from, bytesRead));
  }
  if (length > 0) yield take(false);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
