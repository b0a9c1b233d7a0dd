/**
 * The port between a client's hooks and our events. A wire is pure and imports only `core`, because it is part of the hook
 * client. Our own form is that of Claude Code: its wire changes nothing.
 */
import type { Agent, HookName } from '../../core/index.ts';

export type HookFields = Readonly<Record<string, unknown>>;

/** Hooks at tool calls: `PostToolUse` after a read, `PreToolUse` before an edit. They are questions, not events. */
export type ToolHookName = 'PreToolUse' | 'PostToolUse';

/** Our answer to a hook. */
export interface HookAnswer {
  /** Shown to the user, not to the model. */
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: string;
    readonly additionalContext?: string;
    readonly permissionDecision?: 'ask' | 'deny';
    readonly permissionDecisionReason?: string;
  };
}

/** A tool call that a hook reports. Paths may be relative to `cwd`. */
export interface ToolQuestion {
  readonly session: string;
  readonly cwd: string;
  /** The files that were read or are about to be changed. */
  readonly files: readonly string[];
  /** The shell command that ran or is about to run. */
  readonly command?: string;
  /** The text that an edit removes and adds. A write of a whole file removes nothing known. */
  readonly change?: { readonly removed?: string; readonly added: string };
  /** The permission mode, in our words. */
  readonly mode?: string;
  /** The subagent that calls. */
  readonly agent?: string;
  /** The client's id of the call. */
  readonly call?: string;
}

/** Facts that a client sends with a call of our MCP server. Texts are empty where it says nothing. */
export interface CallFacts {
  readonly session: string;
  /** The conversation that calls: the session itself, or a subagent of it. */
  readonly thread: string;
  /** The client's id of the call. */
  readonly call: string;
  /** The folders that the session works in. */
  readonly folders: readonly string[];
}

export interface Wire {
  readonly agent: Agent;
  /** Environment variables that name the client's folders; the daemon inherits them. */
  readonly variables: readonly string[];
  /** Sources of SessionStart whose answer the client drops: the brief is injected with the next prompt instead. */
  readonly droppedStarts?: readonly string[];
  /** The environment variable that names the session to MCP servers, if the client sets one. */
  readonly sessionVariable?: string;
  /** Whether this agent sent the input, for hooks that name no agent: it may have loaded the plugin of Claude Code. */
  isOwn?(input: HookFields): boolean;
  /** Returns the hook's input with the fields of `HookInput`, or the reason why it is not an event of ours. */
  toInput(event: HookName, input: HookFields): HookFields | string;
  /** Returns the question of a hook at a tool call; undefined if the call is of no interest. */
  toQuestion?(hook: ToolHookName, input: HookFields): ToolQuestion | undefined;
  /** Returns our answer in the client's form; undefined if nothing is to be printed. */
  toOutput(hook: HookName | ToolHookName, answer: HookAnswer): object | undefined;
  /** Returns the facts in the metadata of a call of our MCP server; undefined if another client sent it. */
  toCall?(meta: HookFields): CallFacts | undefined;
}
