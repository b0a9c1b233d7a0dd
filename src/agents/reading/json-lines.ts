/** Reads a transcript of JSON lines from an offset on, and counts the lines that cannot be read. Never writes. */
import type { FileHandle } from 'node:fs/promises';
import { given, TidemarkError } from '../../core/index.ts';
import { isRefused, linesIn, openRegular, TRANSCRIPT_BYTES, type Line } from '../../files/index.ts';
import { emptyNotes, type ReadOptions, type TranscriptNotes } from '../transcript.ts';

const MAX_PROBLEMS = 20; // enough to diagnose a file
/** No vendor's API takes a request over 32 MB; a single message with its images stays well under half of it. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;
const RETURN = 13;

/**
 * Yields the parsed value of every whole line from the offset on. `parse` returns undefined for a line that is damaged.
 * Yields nothing for a missing file. A last line without an end that does not parse is left for the next read.
 */
export async function* jsonLines<T>(
  path: string,
  { offset = 0, notes = emptyNotes(), signal }: ReadOptions,
  parse: (line: Line & { readonly bytes: Buffer }) => T | undefined,
): AsyncGenerator<{ readonly value: T; readonly line: Line }> {
  const file = await unlessMissing(path, () => openRegular(path, TRANSCRIPT_BYTES));
  if (file === undefined) return;
  try {
    const fits = await isLineStart(file, offset);
    notes.restarted = !fits;
    for await (const line of linesIn(file, {
      start: fits ? offset : 0,
      // A file that grows as fast as it is read would have no end; the next read continues.
      end: (await file.stat()).size,
      maxBytes: MAX_LINE_BYTES,
      ...given({ signal }),
    })) {
      const { bytes } = line;
      const value = bytes === undefined ? undefined : parse({ ...line, bytes });
      if (value === undefined && !line.ended) continue;
      notes.lines += 1;
      notes.end = line.end;
      if (value !== undefined) yield { value, line };
      else if (bytes === undefined) {
        notes.oversized += 1;
        problem(notes, line, `longer than ${MAX_LINE_BYTES} bytes, skipped`);
      } else {
        notes.malformed += 1;
        problem(notes, line, 'not a JSON object');
      }
    }
  } finally {
    await file.close();
  }
}

/** The text of a line. A file system that lost a write leaves NULs; an editor may add a byte order mark. */
export function lineText(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/^\uFEFF/, '')
    .trim();
}

/** Undefined if the transcript is missing. Throws what is wrong with it otherwise. */
export async function unlessMissing<T>(path: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    if (isRefused(cause)) throw cause;
    throw new TidemarkError('transcript-unreadable', `cannot read the transcript ${path}`, {
      cause,
      hint: 'Check that the file belongs to you and can be read.',
    });
  }
}

function problem(notes: TranscriptNotes, line: Line, reason: string): void {
  if (notes.problems.length >= MAX_PROBLEMS) return;
  notes.problems.push({ line: notes.lines, offset: line.start, reason });
}

/** Reports whether a line begins at the offset, which is always so in a file that only grew. */
async function isLineStart(file: FileHandle, offset: number): Promise<boolean> {
  if (offset === 0) return true;
  const around = Buffer.alloc(2);
  const { bytesRead } = await file.read(around, 0, 2, offset - 1);
  if (bytesRead === 0) return false;
  if (around[0] === NEWLINE) return true;
  // The line before was read before its newline was written.
  return bytesRead === 2 && (around[1] === NEWLINE || around[1] === RETURN);
}
