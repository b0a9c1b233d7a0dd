/**
 * Reads the lines of a growing file with their byte offsets. Buffers one chunk and one line at most; a line over the
 * limit is skipped without buffering it.
 */
import type { FileHandle } from 'node:fs/promises';

export interface Line {
  readonly start: number;
  readonly end: number;
  /** Absent for a line over the limit. */
  readonly bytes?: Buffer;
  /** The file ended without a newline: the line may be incomplete. */
  readonly unterminated?: true;
}

const CHUNK_BYTES = 256 * 1024;
/** The vendor's API takes no request over 32 MB; a single message with its images stays well under half of it. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;
const RETURN = 13;

export async function* readLines(
  file: FileHandle,
  offset: number,
  signal?: AbortSignal,
): AsyncGenerator<Line> {
  let position = offset;
  let start = offset;
  let parts: Buffer[] = [];
  let buffered = 0;
  let over = false;
  const take = (end: number): Line => {
    const line: Line = over ? { start, end } : { start, end, bytes: Buffer.concat(parts) };
    start = end;
    parts = [];
    buffered = 0;
    over = false;
    return line;
  };
  const buffer = (part: Buffer): void => {
    buffered += part.length;
    if (buffered > MAX_LINE_BYTES) {
      over = true;
      parts = [];
    }
    if (!over && part.length > 0) parts.push(part);
  };
  for (;;) {
    signal?.throwIfAborted();
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1 && at < bytesRead; at = chunk.indexOf(NEWLINE, from)) {
      buffer(chunk.subarray(from, at));
      from = at + 1;
      yield take(position + from);
    }
    buffer(chunk.subarray(from, bytesRead));
    position += bytesRead;
  }
  if (buffered > 0) yield { ...take(position), unterminated: true };
}

/** Whether a line begins at the offset, which is always so in a file that only grew. */
export async function isLineStart(file: FileHandle, offset: number): Promise<boolean> {
  if (offset === 0) return true;
  const around = Buffer.alloc(2);
  const { bytesRead } = await file.read(around, 0, 2, offset - 1);
  if (bytesRead === 0) return false;
  if (around[0] === NEWLINE) return true;
  // The line before was read before its newline was written.
  return bytesRead === 2 && (around[1] === NEWLINE || around[1] === RETURN);
}
