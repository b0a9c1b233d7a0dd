/**
 * Reads turns from Qwen Code's transcript, `projects/<folder>/chats/<session>.jsonl`, or a subagent's. Never writes.
 *
 * A turn begins with a `user` line that the user typed; `systemPayload.displayText` is its text without injected context.
 * A message typed while the agent runs (`mid_turn_user_message`) is added to the prompt of the running turn. A message of
 * the client after the end of a turn (a background agent is done, a schedule) begins a turn of origin `task`. Commands of
 * the client and commands with `!` are not in the file, or are records of its own that no agent receives.
 *
 * The client writes no end of a turn. It is complete when the agent said something without calling a tool, when a call was
 * cancelled, or when another prompt follows. A fork copies the lines of its parent with their uuids and says where they are
 * from, so its turns have the ids and the session of the parent. Compression adds a line and removes none.
 */
import { basename } from 'node:path';
import type { Line } from '../../../files/index.ts';
import { jsonLines, lineText } from '../../reading/json-lines.ts';
import { emptyNotes, type ReadOptions, type TurnRead } from '../../transcript.ts';
import { QwenAssembler } from './_assemble.ts';
import { recordsOf, type QwenRecord } from './_records.ts';

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const session = basename(path, '.jsonl');
  const assembler = new QwenAssembler({ session, continues: options.continues, notes });
  for await (const { value: records, line } of jsonLines(path, { ...options, notes }, parsed)) {
    for (const record of records) {
      const over = assembler.push(record, line);
      if (over !== undefined) yield over;
    }
  }
  yield* assembler.finish();
}

function parsed({ bytes }: Line & { readonly bytes: Buffer }): readonly QwenRecord[] | undefined {
  const text = lineText(bytes);
  return text === '' ? [] : recordsOf(text);
}
