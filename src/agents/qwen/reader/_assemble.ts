/** Assembles turns from the records of a Qwen Code transcript in file order. */
import { given, type TurnOrigin } from '../../../core/index.ts';
import type { Line } from '../../../files/index.ts';
import type { ToolResult } from '../../reading/tool-facts.ts';
import { TurnDraft, type Last } from '../../reading/turn-draft.ts';
import type { TranscriptNotes, TurnRead } from '../../transcript.ts';
import type { Head, QwenRecord } from './_records.ts';

const AGENT = 'qwen';
const NO_TIME = '1970-01-01T00:00:00.000Z';

interface Options {
  /** The session, if the lines do not name it. */
  readonly session: string;
  readonly continues: string | undefined;
  readonly notes: TranscriptNotes;
}

export class QwenAssembler {
  readonly #options: Options;
  #current: TurnDraft | undefined;
  #person: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#person = options.continues;
  }

  /** Takes the next record; returns a turn that is final. */
  push(record: QwenRecord, line: Line): TurnRead | undefined {
    switch (record.kind) {
      case 'title':
        this.#options.notes.title = record.title;
        return undefined;
      case 'prompt':
        return this.#begin(record.head, line, record.text, 'person');
      case 'added':
        if (!this.#current) return this.#begin(record.head, line, record.text, 'person');
        this.#current.addPrompt(record.text);
        this.#note(record.head, line, 'midway');
        return undefined;
      case 'aside':
        this.#options.notes.system += 1;
        if (this.#isOver()) return this.#begin(record.head, line, record.text, 'task');
        this.#note(record.head, line);
        return undefined;
      case 'answer':
        this.#answer(record, line);
        return undefined;
      case 'results':
        for (const result of record.results) this.#current?.result(result);
        this.#note(record.head, line, lastOf(record.results));
        return undefined;
      case 'failed':
        this.#fail(record, line);
        return undefined;
      case 'prompt-id':
        // Titles and suggestions are asked for after the end of a turn, under the id of its prompt.
        if (!this.#isOver()) this.#current?.addPromptId(record.promptId);
        return undefined;
    }
  }

  /** The turn that the file ends with. */
  finish(): readonly TurnRead[] {
    return this.#current ? [this.#current.read(this.#isOver())] : [];
  }

  /** The client writes no end of a turn: the agent stopped if it said something without calling a tool. */
  #isOver(): boolean {
    const last = this.#current?.last ?? 'said';
    return last === 'said' || last === 'cut' || last === 'denied';
  }

  #answer({ head, texts, calls, model }: Extract<QwenRecord, { kind: 'answer' }>, line: Line): void {
    if (!this.#current) {
      this.#options.notes.stray += 1;
      return;
    }
    for (const text of texts) this.#current.say(text);
    for (const call of calls) this.#current.call(call);
    this.#note(head, line, calls.length > 0 ? 'midway' : 'said', model);
  }

  /** The client may try again. A failure beside an answer (a title, a suggestion) says nothing about the turn. */
  #fail({ head, text, promptId }: Extract<QwenRecord, { kind: 'failed' }>, line: Line): void {
    if (!this.#current || this.#isOver()) return;
    this.#current.say(text, { failed: true });
    if (promptId !== undefined) this.#current.addPromptId(promptId);
    this.#note(head, line, 'failed');
  }

  #note({ uuid, at }: Head, line: Line, last?: Last, model?: string): void {
    this.#current?.note(uuid, { end: line.end, ...given({ at, last, model }) });
  }

  #begin(head: Head, line: Line, prompt: string, from: 'person' | 'task'): TurnRead | undefined {
    const over = this.#current?.read(true);
    const origin: TurnOrigin = head.isSubagent ? 'subagent' : from;
    const continues = origin === 'person' ? undefined : this.#person;
    const { uuid: id, session = this.#options.session, at = NO_TIME, cwd, branch, clientVersion } = head;
    this.#current = new TurnDraft({
      id,
      agent: AGENT,
      session,
      origin,
      prompt,
      at,
      start: line.start,
      end: line.end,
      ...given({ cwd, branch, clientVersion, continues }),
    });
    if (origin === 'person') this.#person = id;
    return over;
  }
}

/** The client stops after a call that the user cancelled or did not allow. */
function lastOf(results: readonly ToolResult[]): Last {
  if (results.some(({ status }) => status === 'interrupted')) return 'cut';
  const isStopped = ({ status, text }: ToolResult): boolean =>
    status === 'denied' && text.startsWith('[Operation Cancelled]');
  return results.some(isStopped) ? 'denied' : 'midway';
}
