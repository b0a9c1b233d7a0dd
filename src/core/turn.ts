/** A turn: one prompt of the user and everything until the agent stops. The unit of capture. */

/** The coding agents whose sessions can be remembered. `src/agents` has a folder for each. */
export const AGENTS = [
  'claude-code',
  'codex',
  'copilot',
  'qwen',
  'opencode',
  'pi',
  'gemini',
  'cline',
] as const;

export type Agent = (typeof AGENTS)[number];

/** The agent of events and records that were written before there were others. */
export const FIRST_AGENT: Agent = 'claude-code';

export function isAgent(name: string): name is Agent {
  return (AGENTS as readonly string[]).includes(name);
}

/**
 * `person`: the user typed or sent it. `task`: the client wrote the prompt (a background task reported).
 * `subagent`: the conversation of a subagent, with a prompt written by the model.
 */
export type TurnOrigin = 'person' | 'task' | 'subagent';

/** `open`: the transcript does not show yet that the agent stopped. */
export type TurnOutcome = 'answered' | 'interrupted' | 'denied' | 'failed' | 'open';

/** A file that defines names of code, of those that the turn mentions. */
export interface Definition {
  readonly file: string;
  readonly names: readonly string[];
}

/** The facts of one tool call. The output is abbreviated to head and tail. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** File, pattern, URL, query or subagent description, in one line. */
  readonly target?: string;
  readonly command?: string;
  readonly status: 'ok' | 'error' | 'denied' | 'interrupted' | 'unknown';
  readonly exit?: number;
  /** A few lines of the output that report an error. */
  readonly errors: readonly string[];
  readonly read: readonly string[];
  readonly edited: readonly string[];
  readonly defines?: readonly Definition[];
  readonly output?: string;
}

export interface Turn {
  /** uuid of the prompt's line in the transcript, or `event-<hash>` if there is no transcript. */
  readonly id: string;
  readonly agent: Agent;
  readonly session: string;
  readonly origin: TurnOrigin;
  /** The turn that this one continues, for `task` and `subagent`. */
  readonly continues?: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: TurnOutcome;
  /** The full text of the user. */
  readonly prompt: string;
  /** All text blocks of the agent, joined by blank lines, without thinking and tool calls. */
  readonly answer: string;
  /** Length of the end of the answer that was written after the last tool call; absent if that is all of it. */
  readonly report?: number;
  readonly tools: readonly ToolCall[];
  /** uuids of all its messages, in order. */
  readonly messages: readonly string[];
  readonly cwd?: string;
  readonly branch?: string;
  readonly model?: string;
  readonly clientVersion?: string;
}

/** A stored turn: redacted, with its project. */
export interface StoredTurn extends Turn {
  readonly project: string;
}
