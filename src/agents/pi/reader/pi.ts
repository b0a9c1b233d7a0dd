/**
 * Reads turns from a pi session (`<time>_<id>.jsonl`). Never writes.
 *
 * The lines are a tree: going back in the conversation continues at an earlier line, and the file only grows. So the order
 * of the file is the order of time, and a turn of a branch that was left is a turn like any other. A turn begins with a
 * user's message or `!cmd`. A message that was typed while a tool ran is added to the prompt of the running turn.
 * A turn is complete when the model's last message was meant as the last or was aborted.
 *
 * Ids are short, and a fork copies lines with their ids into another session. With the time of the line they are unique
 * and the same in every copy.
 */
import { given } from '../../../core/index.ts';
import type { Line } from '../../../files/index.ts';
import { jsonLines, lineText } from '../../reading/json-lines.ts';
import { TurnDraft, type Last } from '../../reading/turn-draft.ts';
import { emptyNotes, type ReadOptions, type TurnRead } from '../../transcript.ts';
import { headerOf, type Header } from './_header.ts';
import { recordOf, type Head, type PiRecord } from './_records.ts';

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const header = await headerOf(path);
  const parse = ({ bytes }: { readonly bytes: Buffer }): PiRecord | null | undefined => {
    const text = lineText(bytes);
    return text === '' ? null : recordOf(text, header?.cwd);
  };
  let turn: TurnDraft | undefined;
  let before: Head | undefined;
  for await (const { value: record, line } of jsonLines(path, { ...options, notes }, parse)) {
    if (record === null) continue;
    if (record.kind === 'prompt' && turn && isAdded(record, turn, before)) {
      turn.addPrompt(record.text);
      turn.note(unique(record.head), { at: record.head.at, end: line.end });
    } else if (record.kind === 'prompt' || record.kind === 'shell') {
      if (turn) yield turn.read(true);
      turn = begin(record, line, header);
    } else if (record.kind === 'title') notes.title = record.title;
    else if (record.kind === 'aside') notes.system += 1;
    else if (turn) add(turn, record, line);
    else if (record.kind === 'answer') notes.stray += 1;
    before = record.head;
  }
  if (turn) yield turn.read(isOver(turn.last));
}

type Prompt = Extract<PiRecord, { kind: 'prompt' }>;
type Shell = Extract<PiRecord, { kind: 'shell' }>;

/** Whether the message waited for the running turn: it follows directly, and was typed before the line above was written. */
function isAdded({ head, typedAt }: Prompt, turn: TurnDraft, before: Head | undefined): boolean {
  return turn.last === 'midway' && head.parent === before?.id && typedAt < Date.parse(before?.at ?? head.at);
}

function begin(record: Prompt | Shell, { start, end }: Line, header: Header | undefined): TurnDraft {
  const { head } = record;
  const turn = new TurnDraft({
    id: unique(head),
    agent: 'pi',
    session: header?.session ?? '',
    origin: 'person',
    at: head.at,
    prompt: record.kind === 'prompt' ? record.text : `!${record.command}`,
    start,
    end,
    ...given({ cwd: header?.cwd }),
  });
  if (record.kind === 'shell') {
    turn.call({ id: turn.id, name: 'Bash', input: { command: record.command } });
    turn.result({ ...record.result, id: turn.id });
    turn.note(turn.id, { end, last: record.result.status === 'interrupted' ? 'cut' : 'said' });
  }
  return turn;
}

function add(turn: TurnDraft, record: PiRecord, { end }: Line): void {
  const id = unique(record.head);
  const { at } = record.head;
  if (record.kind === 'answer') {
    for (const text of record.texts) turn.say(text);
    for (const use of record.calls) turn.call(use);
    if (record.stop === 'error') turn.say(record.error ?? '', { failed: true });
    turn.note(id, { at, end, last: LAST[record.stop], ...given({ model: record.model }) });
  } else if (record.kind === 'result') {
    turn.result(record.result);
    turn.note(id, { at, end, last: 'midway' });
  }
}

const LAST: Readonly<Record<Extract<PiRecord, { kind: 'answer' }>['stop'], Last>> = {
  stop: 'said',
  call: 'midway',
  error: 'failed',
  abort: 'cut',
};

/** pi may try again after an error. */
function isOver(last: Last): boolean {
  return last === 'said' || last === 'cut';
}

/** `ea4322f7` at 2026-11-17T02:32:02.295Z → `ea4322f7-20261117023202295` */
function unique({ id, at }: Head): string {
  return `${id}-${at.replace(/\D/g, '')}`;
}
