/**
 * Reads turns from a Codex transcript (`rollout-<time>-<thread>.jsonl`). Never writes.
 *
 * A turn begins with `task_started` and contains everything until the next one; text typed while the agent ran is added
 * to its prompt. Versions without `task_started` begin a turn with each prompt. A compaction is a turn without content and
 * is not yielded. A command that the user ran with `!` is a turn of its own. A resumed session continues in the same file;
 * a fork has its own, with only the new turns. A turn is complete after `task_complete` or `turn_aborted`; both are
 * written after the Stop hook. Follow a file from the `start` of the last turn.
 */
import type { Line } from '../../../files/index.ts';
import { jsonLines, lineText } from '../../reading/json-lines.ts';
import { emptyNotes, type ReadOptions, type TurnRead } from '../../transcript.ts';
import { TurnAssembler } from './_assemble.ts';
import { readHead, type FileHead } from './head.ts';
import { recordOf, type TranscriptRecord } from './_records.ts';

/** Lines without records, which are most of a file's bytes: they are not parsed. */
const BULK = /"type": ?"(?:world_state|token_usage_record|compacted|session_meta)"/;
const BULK_PEEK_BYTES = 96;

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  let assembler: TurnAssembler | undefined;
  for await (const { value: record, line } of jsonLines(path, { ...options, notes }, parsed)) {
    assembler ??= new TurnAssembler({ head: headOf(path), continues: options.continues, notes });
    const over = record === null ? undefined : assembler.push(record, line);
    if (over !== undefined) yield over;
  }
  const last = assembler?.finish();
  if (last !== undefined) yield last;
}

/** The lines were readable a moment ago; a file that vanished meanwhile is read to its end without its head. */
function headOf(path: string): FileHead | undefined {
  try {
    return readHead(path);
  } catch {
    return undefined;
  }
}

function parsed({ bytes }: Line & { readonly bytes: Buffer }): TranscriptRecord | null | undefined {
  if (BULK.test(bytes.toString('latin1', 0, BULK_PEEK_BYTES))) return null;
  const text = lineText(bytes);
  return text === '' ? null : recordOf(text);
}
