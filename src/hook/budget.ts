/** Who may take how long: the client's timeouts, the daemon's time to answer, what is left for the fallback. */
import { HOOK_BUDGET_MS, type HookName } from '../core/index.ts';
import type { Sent } from './sent.ts';

/** How long the daemon has to answer. hook.sh holds the same numbers. Node 20 needs 85 ms to start and spool. */
export const ANSWER_LIMIT_MS: Readonly<Record<HookName, number>> = {
  SessionStart: 1100,
  UserPromptSubmit: 180,
  Stop: 50,
  SubagentStop: 50,
  PreCompact: 50,
  SessionEnd: 50,
};

/** `timeout` in hooks.json: the last resort, reached only where a disk or a pipe hangs; room for one slow fsync. */
export const CLIENT_TIMEOUT_S: Readonly<Record<HookName, number>> = {
  SessionStart: 3,
  UserPromptSubmit: 2,
  Stop: 2,
  SubagentStop: 2,
  PreCompact: 2,
  SessionEnd: 2,
};

/** What `sh` and a `curl` that failed at once take before Node starts. */
const SHELL_MS = 15;

/** Waiting for the daemon may take this long even when a busy machine has eaten the budget: less would always fail. */
const LEAST_MS = 60;

/** The event itself is waited for longer: it comes at once unless the machine stalls, and late is better than lost. */
const LEAST_FOR_STDIN_MS = 400;

/** Kept back for printing, logging and leaving. */
const LEAVE_MS = 20;

export interface Deadlines {
  /** Milliseconds since the start of this process after which nothing is waited for. */
  readonly soft: number;
  /** When the process leaves whatever it does: only a stdin that never ends comes to this. */
  readonly hard: number;
}

/** `granted`: TIDEMARK_ANSWER_S, seconds for an answer in place of the table's, for machines slower than it was made for. */
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
