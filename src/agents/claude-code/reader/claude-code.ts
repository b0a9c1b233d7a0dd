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
import { basename } from 'node:path';
import type { Line } from '../../../files/index.ts';
import { jsonLines, lineText } from '../../reading/json-lines.ts';
import { emptyNotes, type ReadOptions, type TranscriptNotes, type TurnRead } from '../../transcript.ts';
import { TurnAssembler } from './_assemble.ts';
import { recordsOf, type TranscriptRecord } from './_records.ts';

const BULK = /^\{"type": ?"(?:api-request|file-history)/;
const BULK_PEEK_BYTES = 32;

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const session = basename(path, '.jsonl');
  const assembler = new TurnAssembler({ session, continues: options.continues, notes });
  for await (const { value: records, line } of jsonLines(path, { ...options, notes }, parsed)) {
    countSystem(records, notes);
    for (const record of records) {
      const over = assembler.push(record, line);
      if (over !== undefined) yield over;
    }
  }
  yield* assembler.finish();
}

function countSystem(records: readonly TranscriptRecord[], notes: TranscriptNotes): void {
  for (const { kind } of records) if (kind === 'aside' || kind === 'command-output') notes.system += 1;
}

function parsed({ bytes }: Line & { readonly bytes: Buffer }): readonly TranscriptRecord[] | undefined {
  if (BULK.test(bytes.toString('latin1', 0, BULK_PEEK_BYTES))) return [];
  const text = lineText(bytes);
  return text === '' ? [] : recordsOf(text);
}
