/** Who may take how long: the client's timeouts, the daemon's time to answer, what is left for the fallback. */
import { HOOK_BUDGET_MS, type HookName } from '../model/index.ts';
import type { Sent } from './sent.ts';

/** How long the daemon has to answer. hook.sh holds the same numbers; Node needs some 80 ms to start and spool. */
export const ANSWER_LIMIT_MS: Readonly<Record<HookName, number>> = {
  SessionStart: 1100,
  UserPromptSubmit: 180,
  Stop: 60,
  SubagentStop: 60,
  PreCompact: 60,
  SessionEnd: 60,
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

/** Reading and spooling get this long even when the budget is gone: a late event is better than a lost one. */
const LEAST_MS = 60;

/** Kept back for printing, logging and leaving. */
const LEAVE_MS = 20;

/** Milliseconds since the start of this process until it has to be gone. */
export function deadlineMs(event: HookName, sent: Sent, startedMs: number): number {
  const spent = sent === 'timed-out' || sent === 'broken' ? ANSWER_LIMIT_MS[event] : 0;
  return Math.max(HOOK_BUDGET_MS[event] - SHELL_MS - spent - LEAVE_MS, startedMs + LEAST_MS);
}
