/**
 * Reads turns from Claude Code's transcript (`<session>.jsonl`, or a subagent's `agent-<id>.jsonl`). Never writes.
 *
 * A turn begins with a user's prompt: text, `/command args` (the expansion is part of the turn, not of the prompt), or
 * `!cmd`. Local commands (`/clear`, `/model`), compaction and its summary neither begin nor end a turn. A message of
 * the client (`<task-notification>`, a hook's feedback after the end) begins a turn of origin `task`. A prompt that
 * was taken back before any answer is an `interrupted` turn of its own, also if its text was sent again as part of a
 * longer prompt. Text typed while the agent ran, or on denying a tool, is added to the prompt of the running turn.
 *
 * A turn is complete when
 * - another prompt follows, or it ends with an interrupt;
 * - `turn_duration` or `stop_hook_summary` follows its last message;
 * - the model's last message was meant as the last (`end_turn`, …) or is an API error, and `cost-state` follows;
 *   up to 2.1.197, which wrote neither in `-p`, `last-prompt` is enough;
 * - in a subagent's file, the model's last message was meant as the last.
 * A Stop hook may make the agent continue: after a complete turn that is a `task` turn, before it the same turn.
 * Follow a file from the `start` of the last turn: the same turn is read again, complete, under the same id.
 */
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import { isRefused, openRegular, TRANSCRIPT_BYTES, linesIn, type Line } from '../../../files/index.ts';
import {
  emptyNotes,
  type ReadOptions,
  type TranscriptNotes,
  type TranscriptReader,
  type TurnRead,
} from '../../transcript.ts';
import { TurnAssembler } from './_assemble.ts';
import { recordsOf, type TranscriptRecord } from './_records.ts';
import { subagentsOf } from './subagents.ts';

const MAX_PROBLEMS = 20; // enough to diagnose a file
const BULK = /^\{"type": ?"(?:api-request|file-history)/;
const BULK_PEEK_BYTES = 32;

export const claudeCode: TranscriptReader = { agent: 'claude-code', readTurns, subagentsOf };

/** The vendor's API takes no request over 32 MB; a single message with its images stays well under half of it. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;
const RETURN = 13;

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const file = await openTranscript(path);
  if (file === undefined) return;
  try {
    const offset = options.offset ?? 0;
    const fits = await isLineStart(file, offset);
    notes.restarted = !fits;
    const session = basename(path, '.jsonl');
    const assembler = new TurnAssembler({ session, continues: options.continues, notes });
    for await (const line of linesIn(file, {
      start: fits ? offset : 0,
      // A file that grows as fast as it is read would have no end; the next read continues.
      end: (await file.stat()).size,
      maxBytes: MAX_LINE_BYTES,
      ...given({ signal: options.signal }),
    })) {
      for (const record of recordsIn(line, notes)) {
        const over = assembler.push(record, line);
        if (over !== undefined) yield over;
      }
    }
    yield* assembler.finish();
  } finally {
    await file.close();
  }
}

async function openTranscript(path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegular(path, TRANSCRIPT_BYTES);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    if (isRefused(cause)) throw cause;
    throw new TidemarkError('transcript-unreadable', `cannot read the transcript ${path}`, {
      cause,
      hint: 'Check that the file belongs to you and can be read.',
    });
  }
}

function recordsIn(line: Line, notes: TranscriptNotes): readonly TranscriptRecord[] {
  const records = parsed(line);
  // Half a line is never valid JSON: a last line that does not parse is left for the next read.
  if (!line.ended && !Array.isArray(records)) return [];
  notes.lines += 1;
  notes.end = line.end;
  if (records === 'oversized') {
    notes.oversized += 1;
    problem(notes, line, `longer than ${MAX_LINE_BYTES} bytes, skipped`);
    return [];
  }
  if (records === 'malformed') {
    notes.malformed += 1;
    problem(notes, line, 'not a JSON object');
    return [];
  }
  for (const { kind } of records) if (kind === 'aside' || kind === 'command-output') notes.system += 1;
  return records;
}

function parsed({ bytes }: Line): readonly TranscriptRecord[] | 'oversized' | 'malformed' {
  if (bytes === undefined) return 'oversized';
  if (BULK.test(bytes.toString('latin1', 0, BULK_PEEK_BYTES))) return [];
  // A file system that lost a write leaves NULs; an editor may add a byte order mark.
  const text = bytes
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/^\uFEFF/, '')
    .trim();
  if (text === '') return [];
  return recordsOf(text) ?? 'malformed';
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
