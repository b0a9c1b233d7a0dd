/**
 * Claude Code's transcript (`<session>.jsonl`, or a subagent's `agent-<id>.jsonl`) → turns. Reads, never writes.
 *
 * A turn begins with a person's prompt: typed or sent, `/command args` (the expansion belongs to the turn, not to
 * the person), `!cmd`. Local commands (`/clear`, `/model`), compaction and its summary make no turn and end none.
 * What the client says itself (`<task-notification>`, a hook's feedback after the end) begins a turn of origin
 * `task`. A prompt sent and taken back before any answer stays a turn of its own, `interrupted`, also when its text
 * was sent again as the beginning of a longer one: it was sent, and a person reading the file sees it sent. What
 * was typed while the agent ran, or said on denying a tool, is added to the prompt of the running turn.
 *
 * A turn is complete when
 * - another prompt follows, or an interrupt stands at its end;
 * - `turn_duration` or `stop_hook_summary` follows its last message;
 * - the model's last message was meant as the last (`end_turn`, …) or is an API error, and `cost-state` follows;
 *   up to 2.1.197, which wrote neither in `-p`, `last-prompt` will do;
 * - in a subagent's file, the model's last message was meant as the last.
 * A Stop hook may still send the agent on: after a complete turn that is a `task` turn, before it the same turn.
 * Follow a file from the `start` of the last turn it gave: the same turn comes again, whole, under the same id.
 */
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { TidemarkError } from '../../../core/index.ts';
import { isRefused, openRegular, TRANSCRIPT_BYTES } from '../../../files/index.ts';
import {
  emptyNotes,
  type ReadOptions,
  type TranscriptNotes,
  type TranscriptReader,
  type TurnRead,
} from '../../transcript.ts';
import { TurnAssembler } from './_assemble.ts';
import { recordsOf, type TranscriptRecord } from './_records.ts';
import { isLineStart, MAX_LINE_BYTES, readLines, type Line } from './lines.ts';
import { subagentsOf } from './subagents.ts';

const MAX_PROBLEMS = 20; // enough to see what is wrong with a file
const BULK = /^\{"type": ?"(?:api-request|file-history)/;
const BULK_PEEK_BYTES = 32;

export const claudeCode: TranscriptReader = { agent: 'claude-code', readTurns, subagentsOf };

/** Yields every turn from the offset on, the last one perhaps unfinished. A file that is not there has none. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const file = await openTranscript(path);
  if (file === undefined) return;
  try {
    const wanted = options.offset ?? 0;
    const fits = await isLineStart(file, wanted);
    notes.restarted = !fits;
    const session = basename(path, '.jsonl');
    const assembler = new TurnAssembler({ session, continues: options.continues, notes });
    for await (const line of readLines(file, fits ? wanted : 0, options.signal)) {
      for (const record of understood(line, notes)) {
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

function understood(line: Line, notes: TranscriptNotes): readonly TranscriptRecord[] {
  const records = parsed(line);
  // Half a line is never whole JSON, so what does not parse at the end is left for the next reading.
  if (line.unterminated && !Array.isArray(records)) return [];
  notes.lines += 1;
  notes.end = line.end;
  if (records === 'oversized') {
    notes.oversized += 1;
    problem(notes, line, `longer than ${MAX_LINE_BYTES} bytes, passed over`);
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
  // NULs stand where a file system lost a write; a byte order mark where an editor saved the file.
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
