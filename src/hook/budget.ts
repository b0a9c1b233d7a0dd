/** Time limits: the client's timeouts, the daemon's time to answer, and the time left for the fallback. */
import { ANSWER_LIMIT_MS, HOOK_BUDGET_MS, type HookName } from '../core/index.ts';
import type { Sent } from '../files/index.ts';

/** `timeout` in hooks.json: the last resort for a disk or pipe that hangs; allows one slow fsync. */
export const CLIENT_TIMEOUT_S: Readonly<Record<HookName, number>> = {
  SessionStart: 3,
  UserPromptSubmit: 2,
  Stop: 2,
  SubagentStop: 2,
  PreCompact: 2,
  SessionEnd: 2,
};

/** Time for `sh` and a `curl` that fails at once, before Node starts. */
const SHELL_MS = 15;

/** Minimum wait for the daemon, even if a busy machine has used up the budget: less would always fail. */
const LEAST_MS = 60;

/** Minimum wait for the event itself: it arrives at once unless the machine stalls, and late is better than lost. */
const LEAST_FOR_STDIN_MS = 400;

/** Reserved for printing, logging and exiting. */
const LEAVE_MS = 20;

export interface Deadlines {
  /** Milliseconds since the process started; no step waits longer. */
  readonly soft: number;
  /** When the process exits in any case; only a stdin that never ends reaches it. */
  readonly hard: number;
}

/** `granted`: TIDEMARK_ANSWER_S, seconds for an answer on machines too slow for the table. */
export function answerLimitMs(event: HookName, granted: string | undefined): number {
  return Number(granted) * 1000 || ANSWER_LIMIT_MS[event];
}

export function deadlines(
  event: HookName,
  sent: Sent,
  startedMs: number,
  granted: string | undefined,
): Deadlines {
  const limit = answerLimitMs(event, granted);
  const spent = sent === 'timed-out' || sent === 'broken' ? limit : 0;
  const end = HOOK_BUDGET_MS[event] + limit - ANSWER_LIMIT_MS[event] - SHELL_MS - spent;
  return {
    soft: Math.max(end - LEAVE_MS, startedMs + LEAST_MS),
    hard: Math.max(end, startedMs + LEAST_FOR_STDIN_MS),
  };
}
