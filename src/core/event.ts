/** An event: what a hook reports. Defines the hook names and their budgets. */
import type { Agent } from './turn.ts';

/**
 * Wall-clock budget of a hook in milliseconds, fallback included. A prompt waits for UserPromptSubmit and
 * SessionStart, so those carry an answer; the others only mark a moment.
 */
export const HOOK_BUDGET_MS = {
  SessionStart: 1500,
  UserPromptSubmit: 300,
  Stop: 150,
  SubagentStop: 150,
  PreCompact: 150,
  SessionEnd: 150,
} as const;

export type HookName = keyof typeof HOOK_BUDGET_MS;

export const HOOK_NAMES = Object.keys(HOOK_BUDGET_MS) as readonly HookName[];

export function isHookName(name: string): name is HookName {
  return Object.hasOwn(HOOK_BUDGET_MS, name);
}

/** The daemon's time to answer. hook.sh has the same numbers. Node 20 needs 85 ms to start and spool. */
export const ANSWER_LIMIT_MS: Readonly<Record<HookName, number>> = {
  SessionStart: 1100,
  UserPromptSubmit: 180,
  Stop: 50,
  SubagentStop: 50,
  PreCompact: 50,
  SessionEnd: 50,
};

/**
 * Budget in milliseconds for the client's question at a tool call: after a read, before an edit. It goes to our MCP server
 * without a process, is not an event, and is not stored. After the budget, the agent continues without an answer.
 */
export const TOOL_BUDGET_MS = 150;

/** The tools that read files, as the plugin's hooks name them. A shell command may print one. */
export const READ_TOOLS = ['Read', 'Grep', 'Bash'] as const;

/** The tools that change a file, as the plugin's hooks name them. */
export const EDIT_TOOLS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'] as const;

/** The fields of a hook's input that we use; all others are dropped. */
export interface HookInput {
  readonly session_id: string;
  readonly transcript_path?: string;
  readonly cwd?: string;
  readonly hook_event_name: HookName;
  readonly prompt_id?: string;
  readonly prompt?: string;
  readonly source?: string;
  readonly reason?: string;
  readonly trigger?: string;
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly agent_transcript_path?: string;
  readonly last_assistant_message?: string;
  readonly session_title?: string;
  readonly stop_hook_active?: boolean;
  readonly background_tasks?: number;
}

/** The client's process when the event arrived. Tells later whether the client still runs. */
export interface ClientProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** An event in the spool: redacted, identified by the attempt that delivered it. */
export interface SpooledEvent {
  readonly id: string;
  readonly at: string;
  readonly agent: Agent;
  readonly projectDir?: string;
  readonly client?: ClientProcess;
  readonly input: HookInput;
}
