/** Runs one tool call with a timeout, and turns errors into text that a model can act on. */
import type { CallFacts } from '../agents/wire/index.ts';
import { TidemarkError } from '../core/index.ts';
import type { Client } from '../daemon/index.ts';
import type { Tool, ToolContext } from './tool.ts';

/** The client waits about a minute; after this the daemon hangs. */
const CALL_TIMEOUT_MS = 30_000;

export interface Setting {
  readonly client: Client;
  /** The folder in which the server was started. */
  readonly dir: string;
  /** Of the client that started the server; a client with several sessions names it in each call. */
  readonly session: string;
  readonly agent: string;
  readonly stopsOnce: () => boolean;
}

export async function runTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  { client, dir, session, agent, stopsOnce }: Setting,
  facts: CallFacts,
  cancelled: AbortSignal,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const signal = AbortSignal.any([cancelled, timeout]);
  const context: ToolContext = {
    call: (name, callArgs) => client.call(name, callArgs, undefined, signal),
    callIfUp: (name, callArgs, limit = timeout) =>
      client.callIfUp(name, callArgs, AbortSignal.any([cancelled, limit])),
    dir: folderOf(facts, dir),
    session: facts.session || session,
    thread: facts.thread,
    toolUse: facts.call,
    agent,
    now: new Date(),
    stopsOnce,
  };
  try {
    return { text: await tool.run(args, context), isError: false };
  } catch (error) {
    return { text: `${tool.name}: ${timeout.aborted ? TOO_LONG : messageOf(error)}`, isError: true };
  }
}

/** A client may start the server outside of the project; then it names the folders of the session in each call. */
function folderOf({ folders }: CallFacts, started: string): string {
  const isInside = folders.some((folder) => started === folder || started.startsWith(`${folder}/`));
  return isInside ? started : (folders[0] ?? started);
}

const TOO_LONG = `no answer within ${CALL_TIMEOUT_MS / 1000} s. Continue without it; the user can run: tidemark doctor`;

function messageOf(error: unknown): string {
  if (!(error instanceof TidemarkError)) return error instanceof Error ? error.message : String(error);
  return error.hint ? `${error.message}. ${error.hint}` : `${error.message}.`;
}
