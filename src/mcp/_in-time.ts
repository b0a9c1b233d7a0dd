/**
 * Asks the daemon on behalf of a hook of the client, within the hook's budget. Never fails, because the client shows errors
 * to the user: what is late or fails is no answer.
 */
import { TOOL_BUDGET_MS } from '../core/index.ts';
import type { ToolContext } from './tool.ts';

/** The result must be sent before the budget ends. Tests on a busy machine allow more time. */
const ANSWER_MS = Number(process.env['TIDEMARK_EDIT_MS'] ?? TOOL_BUDGET_MS) - 30;
/** After two late answers in a row, hooks skip the daemon for this long; one may be a busy machine. */
const LEAVE_ALONE_MS = 30_000;
const MAX_LATE = 2;

let quietUntil = 0;
let late = 0;

/** The input that every hook passes on. */
export const ABOUT_HOOK = {
  session: { type: 'string', description: 'The session' },
  agent: { type: 'string', description: 'The subagent, where one does it' },
  call: { type: 'string', description: 'The tool call' },
} as const;

interface HookArguments {
  readonly session?: string;
  readonly agent?: string;
  readonly call?: string;
}

/** Completes the question with the hook's session, subagent and call, the project, and the time that the daemon has. */
export async function inTime<Q extends object>(
  ask: (
    question: Q & Required<HookArguments> & { readonly dir: string; readonly limitMs: number },
    signal: AbortSignal,
  ) => Promise<{ readonly output: string } | undefined>,
  question: Q,
  { session = '', agent = '', call = '' }: HookArguments,
  context: Pick<ToolContext, 'dir' | 'session'>,
): Promise<string> {
  if (performance.now() < quietUntil) return '';
  const signal = AbortSignal.timeout(ANSWER_MS);
  const limitMs = ANSWER_MS - 20; // time for the socket
  try {
    const about = { session: session || context.session, agent, call, dir: context.dir, limitMs };
    const answer = await ask({ ...question, ...about }, signal);
    late = 0;
    return answer?.output ?? '';
  } catch {
    late = signal.aborted ? late + 1 : 0;
    if (late >= MAX_LATE) quietUntil = performance.now() + LEAVE_ALONE_MS;
    return '';
  }
}
