/** Builds one turn from its lines. Decides its outcome, and whether the transcript says that the agent stopped. */
import { given, type ToolCall, type Turn, type TurnOrigin, type TurnOutcome } from '../../../core/index.ts';
import type { Line } from '../../../files/index.ts';
import type { TurnRead } from '../../transcript.ts';
import { SYNTHETIC_MODEL, type Head, type StopSign, type TranscriptRecord } from './_records.ts';
import { reportIn } from '../../reading/report.ts';
import {
  pendingCall,
  shellCall,
  toolCalls,
  type PendingCall,
  type ToolResult,
} from '../../reading/tool-facts.ts';

type Answer = Extract<TranscriptRecord, { kind: 'answer' }>;

export interface TurnBeginning {
  readonly head: Head;
  readonly line: Line;
  readonly origin: TurnOrigin;
  readonly prompt: string;
  readonly session: string;
  readonly continues?: string;
  readonly shell?: string;
}

/** The last relevant line. `midway`: a call, a result, or text before a call: the agent was not done. */
type Last = 'prompt' | 'midway' | 'said' | 'failed' | 'cut';

interface Call {
  pending: PendingCall;
  result?: ToolResult;
}

/** Up to this version `-p` wrote neither `stop_hook_summary` nor `cost-state`, only `last-prompt`. */
const LAST_PROMPT_ENDS_UNTIL = [2, 1, 197] as const;
const NO_TIME = '1970-01-01T00:00:00.000Z';

export class TurnBuilder {
  readonly id: string;
  readonly origin: TurnOrigin;
  readonly #begun: TurnBeginning;
  readonly #prompts: string[];
  readonly #texts: { readonly text: string; readonly failed: boolean }[] = [];
  readonly #said = new Set<string>();
  /** Texts before the last call. */
  #saidBefore = 0;
  readonly #calls = new Map<string, Call>();
  readonly #shellCalls: ToolCall[] = [];
  readonly #messages: Set<string>;
  readonly #promptIds = new Set<string>();
  #lastMessage: string;
  #sinceAnswer: string[] = [];
  #signs = new Set<StopSign>();
  #last: Last = 'prompt';
  #stopped = false; // the model meant its last message to be the last
  #escape = false;
  #endedAt: string;
  #start: number;
  #end: number;
  #model: string | undefined;
  #firstMessage: string | undefined;

  constructor(begun: TurnBeginning) {
    this.id = begun.head.uuid;
    this.origin = begun.origin;
    this.#begun = begun;
    this.#prompts = [begun.prompt];
    this.#messages = new Set([begun.head.uuid]);
    if (begun.head.promptId !== undefined) this.#promptIds.add(begun.head.promptId);
    this.#lastMessage = begun.head.uuid;
    this.#endedAt = begun.head.at ?? NO_TIME;
    this.#start = begun.line.start;
    this.#end = begun.line.end;
  }

  get startedAt(): string {
    return this.#begun.head.at ?? this.#endedAt;
  }

  get shell(): string | undefined {
    return this.#begun.shell;
  }

  /** The turn has only its prompt so far. */
  get untouched(): boolean {
    return this.#last === 'prompt';
  }

  /** The lines so far say that the agent stopped. */
  get complete(): boolean {
    if (this.#last === 'cut' || this.#signs.has('turn_duration') || this.#signs.has('stop_hook_summary'))
      return true;
    if (!this.#stopped && this.#last !== 'failed') return false;
    if (this.origin === 'subagent' || this.#signs.has('cost-state')) return true;
    return this.#signs.has('last-prompt') && lastPromptEnds(this.#begun.head.version);
  }

  /** Equal for a turn that was written twice, different for different turns; undefined before the first answer. */
  get fingerprint(): string | undefined {
    return this.#firstMessage === undefined ? undefined : `${this.#firstMessage}\n${this.#prompt}`;
  }

  get #prompt(): string {
    return this.#prompts.join('\n\n');
  }

  has(uuid: string): boolean {
    return this.#messages.has(uuid);
  }

  /** Whether the line continues the prompt: some clients write one line per block of it. */
  continuesPrompt(head: Head): boolean {
    return this.untouched && head.parent === this.#lastMessage && head.promptId === this.#begun.head.promptId;
  }

  addPrompt(head: Head, line: Line, text: string): void {
    if (text !== '') this.#prompts.push(text);
    if (head.promptId !== undefined) this.#promptIds.add(head.promptId);
    this.note(head, line);
  }

  note(head: Head, line: Line): void {
    this.#messages.add(head.uuid);
    this.#lastMessage = head.uuid;
    this.#endedAt = head.at ?? this.#endedAt;
    this.#end = line.end;
  }

  answer(record: Answer, line: Line): void {
    if (record.failed) this.#touch('failed', false);
    else if (record.stopReason === undefined) this.#touch(record.calls.length > 0 ? 'midway' : 'said', false);
    else this.#touch(isEnd(record.stopReason) ? 'said' : 'midway', isEnd(record.stopReason));
    this.note(record.head, line);
    this.#sinceAnswer = [];
    if (record.model !== SYNTHETIC_MODEL) {
      this.#model = record.model ?? this.#model;
      this.#firstMessage ??= record.message;
    }
    for (const text of record.texts) {
      const once = `${record.message}\n${text}`;
      if (!this.#said.has(once)) this.#texts.push({ text, failed: record.failed });
      this.#said.add(once);
    }
    for (const use of record.calls) {
      if (this.#calls.has(use.id)) continue;
      this.#calls.set(use.id, { pending: pendingCall(use) });
      this.#saidBefore = this.#texts.length;
    }
  }

  /** An answer whose line precedes the prompt's: the next read has to begin there. */
  answerBefore(record: Answer, line: Line): void {
    const end = this.#end;
    this.answer(record, line);
    this.#start = Math.min(this.#start, line.start);
    this.#end = end;
  }

  results(head: Head, line: Line, results: readonly ToolResult[]): void {
    const known = results.filter(({ id }) => this.#calls.has(id));
    if (known.length === 0) return;
    this.#touch('midway', false);
    this.note(head, line);
    for (const result of known) {
      const call = this.#calls.get(result.id);
      if (call !== undefined) call.result = result;
      this.#sinceAnswer.push(result.id);
    }
  }

  shellOutput(head: Head, line: Line, stdout: string, stderr: string): void {
    this.#touch('said', false);
    this.note(head, line);
    this.#shellCalls.push(shellCall(head.uuid, this.#begun.shell ?? '', stdout, stderr));
  }

  /** A skill that ran as a subagent answers like a local command. */
  commandOutput(head: Head, line: Line, text: string): void {
    this.#touch('said', true);
    this.note(head, line);
    this.#signs.add('turn_duration');
    if (text !== '') this.#texts.push({ text, failed: false });
  }

  cut(head: Head, line: Line, escape: boolean): void {
    this.#touch('cut', false);
    this.note(head, line);
    this.#escape = escape;
  }

  stop(sign: StopSign, line: Line): void {
    const wasOver = this.complete;
    const endsTurn = sign === 'turn_duration' || sign === 'stop_hook_summary';
    const isNew = !this.#signs.has(sign);
    this.#signs.add(sign);
    if (isNew && this.complete && (endsTurn || !wasOver)) this.#end = line.end;
  }

  /** `over`: another prompt followed, so the agent stopped in any case. */
  read(over: boolean): TurnRead {
    const complete = over || this.complete;
    const promptIds = [...this.#promptIds];
    return { turn: this.#turn(complete), complete, start: this.#start, end: this.#end, promptIds };
  }

  #touch(last: Last, stopped: boolean): void {
    this.#last = last;
    this.#stopped = stopped;
    this.#signs = new Set();
  }

  #turn(complete: boolean): Turn {
    const { head, session, continues } = this.#begun;
    const outcome = this.#outcome(complete);
    const spoken = (from: number): string =>
      this.#texts
        .slice(from)
        .filter(({ failed }) => !failed || outcome === 'failed')
        .map(({ text }) => text)
        .join('\n\n');
    const answer = spoken(0);
    const calls = [...this.#calls.values()];
    const around = { prompt: this.#prompt, answer, cwd: head.cwd ?? '' };
    const tools = toolCalls(calls, around).map((call, i) => this.#withEscape(call, calls[i]));
    return {
      id: this.id,
      agent: 'claude-code',
      session,
      origin: this.origin,
      startedAt: this.startedAt,
      endedAt: this.#endedAt,
      outcome,
      prompt: this.#prompt,
      answer,
      tools: [...this.#shellCalls, ...tools],
      messages: [...this.#messages],
      ...given({
        continues,
        cwd: head.cwd,
        branch: head.branch,
        model: this.#model,
        clientVersion: head.version,
        report: reportIn(answer, spoken(this.#saidBefore)),
      }),
    };
  }

  #outcome(complete: boolean): TurnOutcome {
    switch (this.#last) {
      case 'cut':
        return this.#escape || !this.#deniedLast() ? 'interrupted' : 'denied';
      case 'failed':
        return 'failed';
      case 'said':
        return complete || this.#stopped ? 'answered' : 'open';
      case 'midway':
      case 'prompt':
        if (
          this.#signs.has('stop_hook_summary') ||
          (this.#last === 'midway' && this.#signs.has('turn_duration'))
        ) {
          return 'answered';
        }
        return complete ? 'interrupted' : 'open';
    }
  }

  #deniedLast(): boolean {
    return this.#sinceAnswer.some((id) => this.#calls.get(id)?.result?.status === 'denied');
  }

  /** The client records Esc during a tool call as a denial. */
  #withEscape(call: ToolCall, made: Call | undefined): ToolCall {
    if (this.#last !== 'cut') return call;
    const escaped = this.#escape && call.status === 'denied' && this.#sinceAnswer.includes(call.id);
    return escaped || made?.result === undefined ? { ...call, status: 'interrupted' } : call;
  }
}

function isEnd(stopReason: string): boolean {
  return stopReason !== 'tool_use' && stopReason !== 'pause_turn';
}

function lastPromptEnds(version: string | undefined): boolean {
  const parts = (version ?? '').split('.').map(Number);
  for (const [at, limit] of LAST_PROMPT_ENDS_UNTIL.entries()) {
    const part = parts[at] ?? Number.NaN;
    if (part !== limit) return part < limit;
  }
  return true;
}
