/** What a tool of the MCP server is. A tool translates its arguments, calls the daemon, and writes what a model reads. */
import type { ArgumentsOf, InputSchema } from './schema.ts';

export interface ToolContext {
  /** The daemon's calls. */
  call<T>(method: string, args: unknown): Promise<T>;
  /** The same, only where a daemon is up. */
  callIfUp<T>(method: string, args: unknown, signal: AbortSignal): Promise<T | undefined>;
  /** The folder of the agent's project. */
  readonly dir: string;
  /** The agent's session; empty where the client does not tell. */
  readonly session: string;
  readonly now: Date;
}

/** Hints for the client, as MCP defines them. Nothing here reaches beyond this machine. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: false;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly annotations: Annotations;
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string>;
}

export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };

/** Ties the types of `run` to the schema; arguments are checked against it before. */
export function defineTool<const S extends InputSchema>(
  tool: Omit<Tool, 'inputSchema' | 'run'> & {
    readonly inputSchema: S;
    run(args: ArgumentsOf<S>, context: ToolContext): Promise<string>;
  },
): Tool {
  return tool as unknown as Tool; // a function of narrower arguments: the check makes them so
}
