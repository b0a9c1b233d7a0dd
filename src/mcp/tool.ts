/** The type of an MCP tool. A tool translates its arguments, calls the daemon, and returns text for the model. */
import { TidemarkError, plainLine } from '../core/index.ts';
import type { ArgsOf, CallName, Client, ResultOf } from '../daemon/index.ts';
import type { ArgumentsOf, InputSchema } from './schema.ts';

export interface ToolContext {
  /** Calls the daemon. */
  call<N extends CallName>(name: N, args: ArgsOf<N>): Promise<ResultOf<N>>;
  /** Calls the daemon only if it is running. */
  readonly callIfUp: Client['callIfUp'];
  /** The folder of the agent's project. */
  readonly dir: string;
  /** The agent's session; empty if the client does not report it. */
  readonly session: string;
  /** The client's id of this tool call; empty if it sends none. */
  readonly toolUse: string;
  /** The agent that started the server, if it names itself; else empty. */
  readonly agent: string;
  /** The conversation that calls: the session itself or a subagent of it; empty if the client does not report it. */
  readonly thread: string;
  readonly now: Date;
  /** Whether `recall.stopOnce` is on. */
  readonly stopsOnce: () => boolean;
}

/** Hints for the client, as MCP defines them. No tool contacts another machine. */
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

type Properties = InputSchema['properties'];

/** Derives the types of `run` from the schema, which the arguments are checked against first. */
export function defineTool<const P extends Properties, const R extends readonly (keyof P & string)[]>({
  properties,
  required,
  ...tool
}: Omit<Tool, 'inputSchema' | 'run'> & {
  readonly properties: P;
  readonly required: R;
  run(args: ArgumentsOf<P, R[number]>, context: ToolContext): Promise<string>;
}): Tool {
  const inputSchema = { type: 'object', properties, required, additionalProperties: false } as const;
  return { ...tool, inputSchema } as unknown as Tool; // `run` has narrower arguments, which the check guarantees
}

/** A property for a list of texts. */
export function texts(maxItems: number, description: string) {
  return { type: 'array', items: { type: 'string' }, maxItems, description } as const;
}

/** Replaces the error of an unknown id, whose hint names CLI verbs, with one for a model. */
export async function orNotFound<T>(
  answer: Promise<T>,
  message: (original: string) => string,
  hint = 'Ids come from search.',
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.code !== 'not-found') throw error;
    throw new TidemarkError('not-found', message(error.message), { hint });
  }
}

/** Records that memories were opened, because that affects ranking. A failure does not affect the answer. */
export async function noteOpened(memories: readonly string[], { call, session }: ToolContext): Promise<void> {
  if (memories.length === 0) return;
  try {
    await call('opened', { memories, session });
  } catch (error) {
    // The client writes a server's stderr to its own log.
    process.stderr.write(
      `tidemark: opening not recorded: ${plainLine(error instanceof Error ? error.message : String(error))}\n`,
    );
  }
}
