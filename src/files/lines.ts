/**
 * Reads a file line by line with byte offsets. Buffers one chunk and one line at most; a line over the limit is skipped
 * without buffering it. Never interprets a line and never fails on a damaged one.
 */
import type { FileHandle } from 'node:fs/promises';
import { openRegular } from './bounded-read.ts';

const CHUNK_BYTES = 256 * 1024;
/** Far beyond any record of ours; a damaged file may be one endless line. */
const RECORD_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;

export interface Line {
  readonly start: number;
  /** The offset after the newline. */
  readonly end: number;
  /** Without the newline; undefined for a line over the limit. */
  readonly bytes: Buffer | undefined;
  /** False if the file ended without a newline: the line may be incomplete. */
  readonly ended: boolean;
}

export interface LineOptions {
  /** Offset of the first byte, which must begin a line. */
  readonly start?: number;
  /** Offset after the last byte. */
  readonly end?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** Yields the lines of a file by its path. A missing file has none. */
export async function* readLines(path: string, options: LineOptions = {}): AsyncGenerator<Line> {
  const file = await openIfThere(path);
  if (!file) return;
  try {
    yield* linesIn(file, options);
  } finally {
    await file.close();
  }
}

/** Yields the lines of an open file. */
export async function* linesIn(file: FileHandle, options: LineOptions = {}): AsyncGenerator<Line> {
  const { end = Infinity, maxBytes = RECORD_BYTES, signal } = options;
  let start = options.start ?? 0;
  let position = start;
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  const take = (lineEnd: number, ended: boolean): Line => {
    const bytes = length > maxBytes ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const line = { start, end: lineEnd, bytes, ended };
    start = lineEnd;
    parts = [];
    length = 0;
    return line;
  };
  for (;;) {
    signal?.throwIfAborted();
    const wanted = Math.min(CHUNK_BYTES, end - position);
    if (wanted <= 0) break;
    // A new buffer each time, because the yielded lines point into it.
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      from = at + 1;
      yield take(position + from, true);
    }
    if (from < bytesRead) add(chunk.subarray(from));
    position += bytesRead;
  }
  if (length > 0) yield take(position, false);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegular(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
