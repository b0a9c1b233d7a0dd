/** A turn: one prompt of a person and everything until the agent stopped. The unit of capture. */

export type Agent = 'claude-code' | 'codex' | 'opencode' | 'gemini';

/**
 * `person`: someone typed or sent it. `task`: the client made the prompt itself (a background task reported).
 * `subagent`: the conversation of a subagent, its prompt written by the model.
 */
export type TurnOrigin = 'person' | 'task' | 'subagent';

/** `open`: nothing in the transcript says yet that the agent stopped. */
export type TurnOutcome = 'answered' | 'interrupted' | 'denied' | 'failed' | 'open';

/** What one tool call did, as facts. Output is abbreviated: head and tail. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** File, pattern, URL, query or subagent description: what it was about, in one line. */
  readonly target?: string;
  readonly command?: string;
  readonly status: 'ok' | 'error' | 'denied' | 'interrupted' | 'unknown';
  readonly exit?: number;
  /** The lines of the output that tell of an error, at most a few. */
  readonly errors: readonly string[];
  readonly read: readonly string[];
  readonly edited: readonly string[];
  readonly output?: string;
}

export interface Turn {
  /** uuid of the prompt's line in the transcript, or `event-<hash>` where the client writes no transcript. */
  readonly id: string;
  readonly agent: Agent;
  readonly session: string;
  readonly origin: TurnOrigin;
  /** The turn this one goes on from, for `task` and `subagent`. */
  readonly continues?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: TurnOutcome;
  /** What the person wrote, whole. */
  readonly prompt: string;
  /** All text blocks of the agent, joined by blank lines, whole; no thinking, no tool calls. */
  readonly answer: string;
  readonly tools: readonly ToolCall[];
  /** uuids of all its messages, in order. */
  readonly messages: readonly string[];
  readonly cwd?: string;
  readonly branch?: string;
  readonly model?: string;
  readonly clientVersion?: string;
}

/** A turn as it is kept: redacted, and placed in a project. */
export interface StoredTurn extends Turn {
  readonly project: string;
}
