/** Builds one turn from the messages of a client that records no end of a turn. Decides its outcome. Pure. */
import { given, type Agent, type Turn, type TurnOrigin, type TurnOutcome } from '../../core/index.ts';
import type { TurnRead } from '../transcript.ts';
import { reportIn } from './report.ts';
import { pendingCall, toolCalls, type PendingCall, type ToolResult, type ToolUse } from './tool-facts.ts';

/**
 * The last relevant message. `midway`: a call, a result, or text before a call: the agent was not done. `denied`: the user
 * denied a call, and the client stopped the agent.
 */
export type Last = 'prompt' | 'midway' | 'said' | 'failed' | 'cut' | 'denied';

export interface TurnBeginning {
  readonly id: string;
  readonly agent: Agent;
  readonly session: string;
  readonly origin: TurnOrigin;
  readonly at: string;
  readonly prompt: string;
  /** Byte offsets of the first line. */
  readonly start: number;
  readonly end: number;
  readonly cwd?: string;
  readonly branch?: string;
  readonly clientVersion?: string;
  readonly continues?: string;
}

interface Text {
  readonly text: string;
  readonly failed: boolean;
}

interface Call {
  pending: PendingCall;
  result?: ToolResult;
}

export class TurnDraft {
  readonly id: string;
  readonly #begun: TurnBeginning;
  readonly #prompts: string[];
  readonly #texts: Text[] = [];
  readonly #calls = new Map<string, Call>();
  /** Texts before the last call. */
  #saidBefore = 0;
  readonly #messages: Set<string>;
  #last: Last = 'prompt';
  #endedAt: string;
  #end: number;
  #model: string | undefined;
  readonly #promptIds = new Set<string>();

  constructor(begun: TurnBeginning) {
    this.id = begun.id;
    this.#begun = begun;
    this.#prompts = [begun.prompt];
    this.#messages = new Set([begun.id]);
    this.#endedAt = begun.at;
    this.#end = begun.end;
  }

  get last(): Last {
    return this.#last;
  }

  get endedAt(): string {
    return this.#endedAt;
  }

  /** Adds what the user typed while the agent ran. */
  addPrompt(text: string): void {
    if (text !== '') this.#prompts.push(text);
  }

  say(text: string, { failed = false } = {}): void {
    if (text !== '') this.#texts.push({ text, failed });
  }

  call(use: ToolUse): void {
    if (this.#calls.has(use.id)) return;
    this.#calls.set(use.id, { pending: pendingCall(use) });
    this.#saidBefore = this.#texts.length;
  }

  /** Takes the result of a call of this turn. */
  result(result: ToolResult): void {
    const call = this.#calls.get(result.id);
    if (call) call.result = result;
  }

  /** Records that a message belongs to the turn, and what it was. */
  note(
    message: string,
    { at, end, last, model }: { at?: string; end: number; last?: Last; model?: string },
  ): void {
    this.#messages.add(message);
    this.#endedAt = at ?? this.#endedAt;
    this.#end = Math.max(this.#end, end);
    this.#last = last ?? this.#last;
    this.#model = model ?? this.#model;
  }

  /** Adds the client's id of the prompt. */
  addPromptId(id: string): void {
    this.#promptIds.add(id);
  }

  /** `complete`: the agent stopped, as the file or a later prompt shows. */
  read(complete: boolean): TurnRead {
    const { start } = this.#begun;
    return { turn: this.#turn(complete), complete, start, end: this.#end, promptIds: [...this.#promptIds] };
  }

  #turn(complete: boolean): Turn {
    const { id, agent, session, origin, at, cwd, branch, clientVersion, continues } = this.#begun;
    const outcome = this.#outcome(complete);
    const prompt = this.#prompts.join('\n\n');
    const spoken = (texts: readonly Text[]): string =>
      texts
        .filter(({ failed }) => !failed || outcome === 'failed')
        .map(({ text }) => text)
        .join('\n\n');
    const answer = spoken(this.#texts);
    const report = reportIn(answer, spoken(this.#texts.slice(this.#saidBefore)));
    const tools = toolCalls([...this.#calls.values()], { prompt, answer, cwd: cwd ?? '' });
    return {
      id,
      agent,
      session,
      origin,
      startedAt: at,
      endedAt: this.#endedAt,
      outcome,
      prompt,
      answer,
      tools: tools.map((tool) =>
        outcome === 'interrupted' && tool.status === 'unknown' ? { ...tool, status: 'interrupted' } : tool,
      ),
      messages: [...this.#messages],
      ...given({ cwd, branch, clientVersion, continues, model: this.#model, report }),
    };
  }

  #outcome(complete: boolean): TurnOutcome {
    switch (this.#last) {
      case 'cut':
        return 'interrupted';
      case 'failed':
      case 'denied':
        return this.#last;
      case 'said':
        return 'answered';
      case 'midway':
      case 'prompt':
        return complete ? 'interrupted' : 'open';
    }
  }
}
