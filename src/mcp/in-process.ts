/** Our tools for a plugin that runs inside a client without MCP. Loading it starts nothing; a call contacts the daemon. */
import { loadConfig } from '../config/index.ts';
import { placesIn, plainText } from '../core/index.ts';
import { openClient } from '../daemon/index.ts';
import { runTool as run } from './run-tool.ts';
import { checkArguments } from './schema.ts';
import { TOOLS } from './tools/index.ts';

/** The conversation that calls. */
export interface Caller {
  /** The data folder. */
  readonly home: string;
  readonly agent: string;
  /** The folder of the project. */
  readonly dir: string;
  readonly session: string;
  /** The client's id of the call. */
  readonly call: string;
}

export const tools = TOOLS.map(({ name, title, description, inputSchema, annotations }) => ({
  name,
  title,
  description,
  inputSchema,
  annotations,
}));

/** Returns the text for the model, also for errors. */
export async function runTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  { home, agent, dir, session, call }: Caller,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) return { text: `${name}: no such tool.`, isError: true };
  const checked = checkArguments(tool.inputSchema, args);
  if (!checked.ok) return { text: `${name}: ${checked.problem}.`, isError: true };
  const places = placesIn(home);
  const { env } = process;
  const setting = {
    client: openClient(places, env),
    dir,
    session,
    agent,
    stopsOnce: () => loadConfig({ places, env }).values['recall.stopOnce'],
  };
  const facts = { session, thread: session, call, folders: [] };
  const { text, isError } = await run(tool, checked.value, setting, facts, signal);
  return { text: plainText(text), isError };
}
