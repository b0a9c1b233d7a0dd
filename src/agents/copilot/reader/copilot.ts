/**
 * Reads turns from Copilot's `session-state/<session>/events.jsonl`. Never writes.
 *
 * A turn begins with a `user.message` that the user typed, with a command that the user ran with `!`, or with a message of
 * the client that the agent answers (origin `task`). A message sent while the agent runs (`steering`) is added to the prompt
 * of the running turn. `content` is what the user typed; injected text is only in `transformedContent` and in hook events.
 * The events of subagents are in the same file: their tool calls count as calls of the turn, their words do not.
 *
 * A turn is complete after `assistant.turn_end` of a message without tool calls, `abort`, `session.error` or
 * `session.shutdown`, or when another prompt follows. Going back in the client (`/rewind`) cuts the file.
 */
import { basename, dirname } from 'node:path';
import { jsonLines } from '../../reading/json-lines.ts';
import { emptyNotes, type ReadOptions, type TurnRead } from '../../transcript.ts';
import { CopilotAssembler } from './_assemble.ts';
import { eventOf, surroundings, type Surroundings } from './_events.ts';

/** Lines that say where the session works. */
const PLACE = /^\{"type": ?"session\.(?:start|resume|context_changed)"/;
const PEEK_BYTES = 48;

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const known = await surroundingsBefore(path, options);
  const session = basename(dirname(path));
  const assembler = new CopilotAssembler({ session, known, continues: options.continues, notes });
  for await (const { value, line } of jsonLines(path, { ...options, notes }, ({ bytes }) => eventOf(bytes))) {
    const over = value === 'none' ? undefined : assembler.push(value, line);
    if (over !== undefined) yield over;
  }
  yield* assembler.finish();
}

/** Session, folder and branch are said before the offset. */
async function surroundingsBefore(path: string, { offset = 0, signal }: ReadOptions): Promise<Surroundings> {
  let known: Surroundings = {};
  if (offset === 0) return known;
  const lines = jsonLines(path, signal ? { signal } : {}, ({ bytes, start }) => {
    const isPlace = start < offset && PLACE.test(bytes.toString('latin1', 0, PEEK_BYTES));
    return isPlace ? eventOf(bytes) : 'none';
  });
  for await (const { value, line } of lines) {
    if (line.start >= offset) break;
    if (value !== 'none') known = surroundings(known, value);
  }
  return known;
}
