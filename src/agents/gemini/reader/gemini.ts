/**
 * Reads turns from a session of Gemini CLI (`session-<minute>-<first 8 of the id>.jsonl`, or `.json` of versions before
 * 2026, or a subagent's `<id>.jsonl`). Never writes.
 *
 * A message is written again under its id when it grows: the model's calls are added when they have ended. `$set.messages`
 * repeats the history as the client has it: it makes no turns, because every message has had a line of its own. After a
 * request is cancelled the client writes the history again under new ids; these copies are left out.
 *
 * The client records no end of a turn. The last turn is complete only if it was cancelled: a model that said something may
 * be about to call a tool. A prompt that is missing in the next history was taken back, so it was cancelled or failed.
 * Resuming continues the old file and leaves another one without messages.
 */
import { given } from '../../../core/index.ts';
import { readText, TRANSCRIPT_BYTES } from '../../../files/index.ts';
import { jsonLines, lineText } from '../../reading/json-lines.ts';
import { objectsIn, parseObject, textOf } from '../../reading/json.ts';
import { TurnDraft, type Last } from '../../reading/turn-draft.ts';
import { emptyNotes, type ReadOptions, type TurnRead } from '../../transcript.ts';
import { projectFolder, sessionIn } from './_place.ts';
import { messageOf, recordOf, type GeminiCall, type GeminiRecord } from './_records.ts';

/** Yields every turn from the offset on, the last one perhaps unfinished. Yields nothing for a missing file. */
export async function* readTurns(path: string, options: ReadOptions = {}): AsyncGenerator<TurnRead> {
  const notes = options.notes ?? emptyNotes();
  const cwd = await projectFolder(path);
  const head = await sessionIn(path);
  const { session = '', isSubagent = false } = head ?? {};
  const turns = new Turns({
    session,
    isSubagent,
    ...given({ cwd, continues: isSubagent ? options.continues : undefined }),
  });
  if (path.endsWith('.json')) {
    const place = { start: 0, end: 0 };
    for (const message of await messagesIn(path)) yield* turns.push(messageOf(message, cwd), place);
  } else {
    const parse = ({ bytes }: { readonly bytes: Buffer }): GeminiRecord | undefined => {
      const text = lineText(bytes);
      return text === '' ? { kind: 'other' } : recordOf(text, cwd);
    };
    for await (const { value, line } of jsonLines(path, { ...options, notes }, parse)) {
      if (value.kind === 'context' || value.kind === 'copy') notes.system += 1;
      yield* turns.push(value, line);
    }
  }
  yield* turns.finish();
}

async function messagesIn(path: string): Promise<ReturnType<typeof objectsIn>> {
  const json = parseObject(await readText(path, TRANSCRIPT_BYTES).catch(() => ''));
  return textOf(json?.['sessionId']) === undefined ? [] : objectsIn(json?.['messages']);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Options {
  readonly session: string;
  readonly isSubagent: boolean;
  readonly cwd?: string;
  readonly continues?: string;
}

class Turns {
  readonly #options: Options;
  #turn: TurnDraft | undefined;
  /** Messages are copies until the history follows, or the model says something new. */
  #copying = false;
  /** The turn has only a command of the user, which no model answers. */
  #isShell = false;
  #said = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  *push(record: GeminiRecord, place: Place): Generator<TurnRead> {
    const { end } = place;
    switch (record.kind) {
      case 'prompt':
      case 'shell':
        if (this.#copying) return;
        if (this.#turn && this.#options.isSubagent) return this.#turn.note(record.id, { at: record.at, end });
        if (this.#turn) yield this.#turn.read(true);
        this.#begin(record, place);
        return;
      case 'context':
      case 'copy':
        this.#copying = this.#turn !== undefined;
        return;
      case 'history':
        this.#copying = false;
        if (this.#turn?.last === 'prompt' && !record.ids.has(this.#turn.id))
          this.#turn.note(this.#turn.id, { end, last: 'cut' });
        return;
      case 'answer':
        this.#copying = false;
        this.#answer(record, end);
        return;
      case 'cancelled':
        if (this.#turn && this.#turn.last !== 'said' && this.#turn.last !== 'denied')
          this.#turn.note(record.id, { at: record.at, end, last: 'cut' });
        return;
      case 'error':
        this.#turn?.say(record.text, { failed: true });
        this.#turn?.note(record.id, { at: record.at, end, last: 'failed' });
        return;
      case 'other':
    }
  }

  *finish(): Generator<TurnRead> {
    const last = this.#turn?.last;
    if (this.#turn) yield this.#turn.read(this.#isShell || last === 'cut' || last === 'denied');
  }

  #begin(record: Extract<GeminiRecord, { kind: 'prompt' | 'shell' }>, { start, end }: Place): void {
    const { session, isSubagent, cwd, continues } = this.#options;
    const { id, at } = record;
    this.#said = new Set();
    this.#isShell = record.kind === 'shell';
    this.#turn = new TurnDraft({
      id,
      agent: 'gemini',
      session,
      origin: isSubagent ? 'subagent' : 'person',
      at,
      prompt: record.kind === 'prompt' ? record.text : `!${record.command}`,
      start,
      end,
      ...given({ cwd, continues }),
    });
    if (record.kind === 'prompt') return;
    this.#turn.call({ id, name: 'Bash', input: { command: record.command } });
    this.#turn.result(shellResult(id, record.output));
    this.#turn.note(id, { end, last: 'said' });
  }

  #answer(record: Extract<GeminiRecord, { kind: 'answer' }>, end: number): void {
    const { id, at, text, calls, model } = record;
    const turn = this.#turn;
    if (!turn) return;
    if (!this.#said.has(`${id}\n${text}`)) turn.say(text);
    this.#said.add(`${id}\n${text}`);
    for (const { use, result } of calls) {
      turn.call(use);
      if (result) turn.result(result);
    }
    const report = reportIn(calls);
    turn.say(report ?? '');
    turn.note(id, {
      at,
      end,
      last: report === undefined ? lastOf(text, calls) : 'said',
      ...given({ model }),
    });
  }
}

function lastOf(text: string, calls: readonly GeminiCall[]): Last {
  if (calls.some(({ result }) => result?.status === 'denied')) return 'denied';
  if (calls.some(({ result }) => result?.status === 'interrupted')) return 'cut';
  return calls.length > 0 || text === '' ? 'midway' : 'said';
}

/** A subagent gives its answer as the input of its last call. */
function reportIn(calls: readonly GeminiCall[]): string | undefined {
  const last = calls.find(({ use, result }) => use.name === 'complete_task' && result?.status === 'ok');
  const report = last?.use.input['result'];
  return typeof report === 'string' || report === undefined ? report : JSON.stringify(report);
}

/** The client only writes the output, after a line about a failure. */
function shellResult(id: string, output: string) {
  const exit = /^Command exited with code (\d{1,3})\.$/m.exec(output)?.[1];
  return {
    id,
    status: exit === undefined ? ('ok' as const) : ('error' as const),
    text: output.replace(/^Command exited with code \d{1,3}\.\n?/, ''),
    changed: [],
    exitUnknown: true,
    ...(exit === undefined ? {} : { exit: Number(exit) }),
  };
}
