/**
 * Distills with a model: asks, parses the reply strictly, retries after 1, 2 and 4 seconds, then gives up with a reason.
 * Reports the cost before it uses the reply. The caller falls back to `local`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionSummary } from '../core/index.ts';
import type { Ceiling } from './budget.ts';
import type { Driver, DriverRequest, FailureReason, Usage } from './drivers/driver.ts';
import { parseOperations, parseSummary, type Parsed, type ReplyOperation } from './reply/parse-reply.ts';

/** A model that has not answered by then will not answer. */
export const ASK_TIMEOUT_MS = 60_000;
const RETRY_MS = [1000, 2000, 4000];
/** The request was sent and may cost money, although its response did not arrive. */
const UNANSWERED: ReadonlySet<FailureReason> = new Set(['timed-out', 'died', 'cut-off', 'aborted']);
/** A driver that asks for a longer wait is not used for that long. */
const MAX_WAIT_MS = 60_000;

export interface ModelCall {
  readonly driver: Driver;
  readonly signal: AbortSignal;
  /** Called before every request; a ceiling ends the call. */
  readonly overCeiling: () => Ceiling | undefined;
  /** Undefined: the request was sent, but no usage came back, so an estimate counts. */
  readonly spent: (usage: Usage | undefined) => Promise<void>;
  readonly replied: (text: string) => Promise<void>;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly timeoutMs?: number;
}

export type ModelResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'over-ceiling'; readonly ceiling: Ceiling }
  | {
      readonly kind: 'given-up';
      readonly reason: FailureReason | 'invalid-reply';
      readonly message: string;
      /** The driver is not to be used for this long. */
      readonly restMs?: number;
    };

export function distillByModel(
  request: DriverRequest,
  call: ModelCall,
): Promise<ModelResult<readonly ReplyOperation[]>> {
  return ask(request, call, parseOperations);
}

export function summarizeByModel(
  request: DriverRequest,
  call: ModelCall,
): Promise<ModelResult<SessionSummary>> {
  return ask(request, call, parseSummary);
}

async function ask<T>(
  request: DriverRequest,
  call: ModelCall,
  parse: (reply: string) => Parsed<T>,
): Promise<ModelResult<T>> {
  const { driver, signal, wait = pause } = call;
  const timeoutMs = call.timeoutMs ?? driver.timeoutMs ?? ASK_TIMEOUT_MS;
  for (let attempt = 0; ; attempt++) {
    const ceiling = call.overCeiling();
    if (ceiling !== undefined) return { kind: 'over-ceiling', ceiling };
    const answer = await driver.ask(
      request,
      timeoutMs === Infinity ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    );
    if (answer.usage || (answer.kind === 'failed' && UNANSWERED.has(answer.reason)))
      await call.spent(answer.usage);
    const outcome =
      answer.kind === 'answered' ? await read(answer.text) : { ...answer, kind: 'given-up' as const };
    if (outcome.kind === 'done' || signal.aborted) return outcome;
    const requestedMs = answer.kind === 'failed' ? (answer.retryAfterMs ?? 0) : 0;
    if (requestedMs > MAX_WAIT_MS) return { ...outcome, restMs: requestedMs };
    const pauseMs = RETRY_MS[attempt];
    if (pauseMs === undefined || outcome.reason === 'missing') return outcome;
    await wait(Math.max(pauseMs, requestedMs), signal);
    if (signal.aborted) return outcome;
  }

  async function read(text: string): Promise<Exclude<ModelResult<T>, { kind: 'over-ceiling' }>> {
    await call.replied(text);
    const parsed = parse(text);
    if (parsed.valid) return { kind: 'done', value: parsed.value };
    return {
      kind: 'given-up',
      reason: 'invalid-reply',
      message: `the reply is invalid: ${parsed.reason}`,
    };
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
