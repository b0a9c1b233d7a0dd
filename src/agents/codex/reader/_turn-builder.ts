/** Builds one turn from its records. Decides its outcome, and whether the transcript says that the agent stopped. */
import { given, type Turn, type TurnOrigin, type TurnOutcome } from '../../../core/index.ts';
import type { Line } from '../../../files/index.ts';
import type { JsonObject } from '../../reading/json.ts';
import { reportIn } from '../../reading/report.ts';
import { pendingCall, toolCalls, type PendingCall, type ToolResult } from '../../reading/tool-facts.ts';
import type { TurnRead } from '../../transcript.ts';
import { madeCall, sentCall, shownResult, userCommand, type MadeCall } from './_calls.ts';
import type { FileHead } from './head.ts';
import type { Message } from './_records.ts';

export interface TurnBeginning {
  readonly id: string;
  readonly line: Line;
  readonly head: FileHead | undefined;
  readonly at?: string;
  /** The user's turn that this one works for, as the client names it. */
  readonly root?: string;
  /** The id is the client's own: hooks use it too. */
  readonly isNamed: boolean;
}

type Said = Message & { readonly at?: string };

interface Made {
  readonly pending: readonly PendingCall[];
  readonly result?: Omit<ToolResult, 'id'>;
}

const NO_TIME = '1970-01-01T00:00:00.000Z';

export class TurnBuilder {
  readonly id: string;
  readonly isNamed: boolean;
  readonly #begun: TurnBeginning;
  readonly #prompts: Said[] = [];
  readonly #answers: Said[] = [];
  readonly #calls = new Map<string, Made>();
  #ended: 'complete' | 'aborted' | 'failed' | undefined;
  #last: 'prompt' | 'midway' | 'said' = 'prompt';
  #cwd: string | undefined;
  #model: string | undefined;
  #endedAt: string | undefined;
  #end: number;

  constructor(begun: TurnBeginning) {
    this.id = begun.id;
    this.isNamed = begun.isNamed;
    this.#begun = begun;
    this.#cwd = begun.head?.cwd;
    this.#endedAt = begun.at;
    this.#end = begun.line.end;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  get hasPrompt(): boolean {
    return this.#prompts.length > 0;
  }

  get origin(): TurnOrigin {
    if (this.#begun.head?.isSubagent) return 'subagent';
    return this.hasPrompt ? 'person' : 'task';
  }

  context({ cwd, model }: { readonly cwd?: string; readonly model?: string }): void {
    this.#cwd = cwd ?? this.#cwd;
    this.#model = model ?? this.#model;
  }

  prompt(record: Said, line: Line): void {
    this.#prompts.push(record);
    this.#note(record.at, line);
  }

  answer(record: Said, line: Line): void {
    this.#answers.push(record);
    this.#last = 'said';
    this.#note(record.at, line);
  }

  /** A call that the client carried out. It replaces what is known of the same call. */
  item(item: JsonObject, at: string | undefined, line: Line): void {
    const made = madeCall(item);
    if (made === undefined) return;
    const command = userCommand(item);
    if (command !== undefined)
      this.#prompts.push({ form: 'item', text: `!${command}`, id: made.id, ...given({ at }) });
    this.#calls.set(made.id, this.#made(made));
    this.#last = command === undefined ? 'midway' : 'said';
    this.#note(at, line);
  }

  sent(payload: JsonObject, at: string | undefined, line: Line): void {
    const sent = sentCall(payload, this.#cwd ?? '');
    if (sent === undefined) return;
    if (!this.#calls.has(sent.id)) this.#calls.set(sent.id, this.#made(sent));
    this.#last = 'midway';
    this.#note(at, line);
  }

  shown(payload: JsonObject, at: string | undefined, line: Line): void {
    const id = String(payload['call_id']);
    const call = this.#calls.get(id);
    if (call === undefined) return;
    if (call.result === undefined) {
      const { exit, ...result } = shownResult(payload['output']);
      const isShell = call.pending.some(({ command }) => command !== undefined);
      this.#calls.set(id, { ...call, result: { ...result, ...given({ exit: isShell ? exit : undefined }) } });
    }
    this.#last = 'midway';
    this.#note(at, line);
  }

  end(how: 'complete' | 'aborted' | 'failed', at: string | undefined, line: Line): void {
    this.#ended = how;
    this.#note(at, line);
  }

  /** `over`: another turn followed. Undefined for a turn without content, such as a compaction. */
  read(over: boolean, continues: string | undefined): TurnRead | undefined {
    if (!this.hasPrompt && this.#answers.length === 0 && this.#calls.size === 0) return undefined;
    const complete = over || this.hasEnded;
    return {
      turn: this.#turn(complete, continues),
      complete,
      start: this.#begun.line.start,
      end: this.#end,
      promptIds: this.isNamed ? [this.id] : [],
    };
  }

  #made({ uses, result }: MadeCall): Made {
    return { pending: uses.map(pendingCall), ...given({ result }) };
  }

  #note(at: string | undefined, line: Line): void {
    this.#endedAt = at ?? this.#endedAt;
    this.#end = line.end;
  }

  #turn(complete: boolean, continues: string | undefined): Turn {
    const { head, root } = this.#begun;
    const prompts = oneForm(this.#prompts);
    const answers = oneForm(this.#answers);
    const prompt = prompts.map(({ text }) => text).join('\n\n');
    const answer = answers.map(({ text }) => text).join('\n\n');
    const { origin } = this;
    const calls = [...this.#calls.values()].flatMap(({ pending, result }) =>
      pending.map((call) => ({ pending: call, ...given({ result: result && { ...result, id: call.id } }) })),
    );
    const endedAt = this.#endedAt ?? NO_TIME;
    const cut = this.#ended === 'aborted';
    return {
      id: this.id,
      agent: 'codex',
      session: head?.session ?? '',
      origin,
      startedAt: prompts[0]?.at ?? this.#begun.at ?? endedAt,
      endedAt,
      outcome: this.#outcome(complete),
      prompt,
      answer,
      tools: toolCalls(calls, { prompt, answer, cwd: this.#cwd ?? '' }).map((call) =>
        cut && call.status === 'unknown' ? { ...call, status: 'interrupted' } : call,
      ),
      messages: [...prompts, ...answers].map(({ id }, at) => id ?? `${this.id}:${at}`),
      ...given({
        continues: origin === 'person' ? undefined : root === this.id ? continues : (root ?? continues),
        cwd: this.#cwd,
        branch: head?.branch,
        model: this.#model,
        clientVersion: head?.version,
        report: reportIn(answer, answers.at(-1)?.text ?? ''),
      }),
    };
  }

  #outcome(complete: boolean): TurnOutcome {
    switch (this.#ended) {
      case 'aborted':
        return 'interrupted';
      case 'failed':
        return 'failed';
      case 'complete':
        return this.#last === 'prompt' ? 'interrupted' : 'answered';
      case undefined:
        if (!complete) return 'open';
        return this.#last === 'said' ? 'answered' : 'interrupted';
    }
  }
}

/** A version that writes both forms writes every message twice. */
function oneForm(said: readonly Said[]): readonly Said[] {
  const items = said.filter(({ form }) => form === 'item');
  return items.length > 0 ? items : said;
}
