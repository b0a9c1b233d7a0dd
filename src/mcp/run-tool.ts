/** Runs one tool call with a timeout, and turns errors into text that a model can act on. */
import { TidemarkError } from '../core/index.ts';
import type { Client } from '../daemon/index.ts';
import type { Tool, ToolContext } from './tool.ts';

/** The client waits about a minute; after this the daemon hangs. */
const CALL_TIMEOUT_MS = 30_000;

export interface Setting {
  readonly client: Client;
  readonly dir: string;
  readonly session: string;
  /** The client's id of the tool call; empty if it sends none. */
  readonly call: string;
  readonly stopsOnce: () => boolean;
}

export async function runTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  { client, dir, session, call, stopsOnce }: Setting,
  cancelled: AbortSignal,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const signal = AbortSignal.any([cancelled, timeout]);
  const context: ToolContext = {
    call: (name, callArgs) => client.call(name, callArgs, undefined, signal),
    callIfUp: (name, callArgs, limit = timeout) =>
      client.callIfUp(name, callArgs, AbortSignal.any([cancelled, limit])),
    dir,
    session,
    toolUse: call,
    now: new Date(),
    stopsOnce,
  };
  try {
    return { text: await tool.run(args, context), isError: false };
  } catch (error) {
    return { text: `${tool.name}: ${timeout.aborted ? TOO_LONG : messageOf(error)}`, isError: true };
  }
}

const TOO_LONG = `no answer within ${CALL_TIMEOUT_MS / 1000} s. Continue without it; the user can run: tidemark doctor`;

function messageOf(error: unknown): string {
  if (!(error instanceof TidemarkError)) return error instanceof Error ? error.message : String(error);
  return error.hint ? `${error.message}. ${error.hint}` : `${error.message}.`;
}
