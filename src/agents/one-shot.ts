/**
 * Asks the model of the user's own coding agent once: an isolated run without hooks, tools, servers or session, the prompt
 * on stdin. Needs no key; it uses the agent's login. The run is marked as nested, so that our hooks ignore it, and ends
 * with its children when the signal fires. Nothing in the product calls it yet: `learn` will read past sessions
 * with it.
 */
import { join } from 'node:path';
import { contentHash } from '../core/index.ts';
import { isRegularFile, writeAtomicallySync } from '../files/index.ts';
import { runInGroup } from './_process-group.ts';
import type { CodingAgent, OneShotResult } from './agent.ts';

export interface OneShotCall {
  /** Empty: the agent's own choice. */
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly env: NodeJS.ProcessEnv;
  /** A folder of ours that is not a project. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export type OneShotAnswer = {
  readonly inputTokens: number;
  readonly outputTokens: number;
} & (
  | { readonly kind: 'answered'; readonly text: string }
  | {
      readonly kind: 'failed';
      readonly reason: OneShotFailure;
      /** For users: no text of the conversation. */
      readonly message: string;
    }
);

export type OneShotFailure =
  | 'missing' // no such program on this machine
  | 'refused' // not logged in: 401, 403
  | 'limited' // 429
  | 'overloaded' // 5xx
  | 'unreachable'
  | 'timed-out'
  | 'aborted'
  | 'died' // the process ended without an answer
  | 'no-answer'; // any other failure

/** Returns expected failures, never throws them. */
export async function askOnce(
  { title, oneShot }: Pick<CodingAgent, 'title' | 'oneShot'>,
  { model, system, prompt, env, cwd, signal }: OneShotCall,
): Promise<OneShotAnswer> {
  const program = oneShot?.find(env);
  if (!oneShot || program === undefined) return failed('missing', `${title} was not found on this machine`);
  const request = { model, system, instructions: instructionsIn(cwd, system), env };
  const ran = await runInGroup(program, oneShot.args(request), {
    input: prompt,
    env: { ...env, ...oneShot.variables?.(request), TIDEMARK_NESTED: '1' },
    cwd,
    signal,
  });
  if (signal.aborted) return ended(signal);
  if (ran.kind === 'not-started') return failed('missing', `${title} does not start: ${ran.message}`);
  const result = oneShot.read(ran.stdout);
  if (result.text === undefined) return failureOf(result, title);
  const { text, inputTokens, outputTokens } = result;
  return { kind: 'answered', text, inputTokens, outputTokens };
}

/** The system prompt as a file, which is the same for many requests and contains nothing of a conversation. */
function instructionsIn(folder: string, system: string): string {
  const path = join(folder, `instructions-${contentHash(system).slice(0, 12)}.md`);
  if (!isRegularFile(path)) writeAtomicallySync(path, system, { mode: 0o600 });
  return path;
}

/** The failure for a request that a signal ended. */
function ended({ reason }: AbortSignal): OneShotAnswer {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
    ? failed('timed-out', 'no answer in time')
    : failed('aborted', 'stopped');
}

/** The client's message may quote the request, so only its kind is passed on. */
function failureOf(result: OneShotResult, title: string): OneShotAnswer {
  const { error } = result;
  if (error === undefined) return failed('died', `${title} ended without an answer`, result);
  const status = Number(/\bstatus (\d{3})\b/.exec(error)?.[1] ?? Number.NaN);
  if (!Number.isNaN(status)) return failed(reasonOfStatus(status), `the API answered ${status}`, result);
  if (/usage limit|rate limit|quota/i.test(error))
    return failed('limited', `${title} reports a limit`, result);
  if (/log ?in|authenticat|API key/i.test(error))
    return failed('refused', `${title} is not logged in`, result);
  if (/connect|sending request|stream/i.test(error))
    return failed('unreachable', `${title} did not reach its model`, result);
  return failed('no-answer', `${title} reported an error`, result);
}

function reasonOfStatus(status: number): OneShotFailure {
  if (status === 401 || status === 403) return 'refused';
  if (status === 429) return 'limited';
  return status >= 500 ? 'overloaded' : 'no-answer';
}

/** A failure may have a cost too. */
function failed(
  reason: OneShotFailure,
  message: string,
  { inputTokens, outputTokens }: Pick<OneShotResult, 'inputTokens' | 'outputTokens'> = NOTHING,
): OneShotAnswer {
  return { kind: 'failed', reason, message, inputTokens, outputTokens };
}

const NOTHING = { inputTokens: 0, outputTokens: 0 };
