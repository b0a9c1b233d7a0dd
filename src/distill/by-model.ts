/**
 * Distilling with a model: ask, read the reply strictly, ask again after 1, 2 and 4 seconds, then give up and say why.
 * What it costs is reported before anything is made of it. Falling back to `local` is the caller's part.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { MemoryDraft, SessionSummary } from '../core/index.ts';
import type { Driver, DriverRequest, FailureReason, Usage } from './drivers/driver.ts';
import { parseMemories, parseSummary, type Parsed } from './reply/parse-reply.ts';

/** A model that has not answered by then will not. */
export const ASK_TIMEOUT_MS = 60_000;
const RETRY_MS = [1000, 2000, 4000];
/** Whoever asks for more patience than this is left alone for that long. */
const MOST_PATIENCE_MS = 60_000;

export interface Asking {
  readonly driver: Driver;
  readonly signal: AbortSignal;
  /** Asked before every request; false ends it. */
  readonly mayAsk: (request: DriverRequest) => boolean;
  readonly spent: (usage: Usage) => Promise<void>;
  readonly replied: (text: string) => Promise<void>;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly timeoutMs?: number;
}

export type Asked<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'over-ceiling' }
  | {
      readonly kind: 'given-up';
      readonly reason: FailureReason | 'invalid-reply';
      readonly message: string;
      /** Left alone until this long from now. */
      readonly restMs?: number;
    };

export function distillByModel(
  request: DriverRequest,
  asking: Asking,
): Promise<Asked<readonly MemoryDraft[]>> {
  return ask(request, asking, parseMemories);
}

export function summarizeByModel(request: DriverRequest, asking: Asking): Promise<Asked<SessionSummary>> {
  return ask(request, asking, parseSummary);
}

async function ask<T>(
  request: DriverRequest,
  asking: Asking,
  parse: (reply: string) => Parsed<T>,
): Promise<Asked<T>> {
  const { driver, signal, wait = pause, timeoutMs = ASK_TIMEOUT_MS } = asking;
  for (let attempt = 0; ; attempt++) {
    if (!asking.mayAsk(request)) return { kind: 'over-ceiling' };
    const answer = await driver.ask(request, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    if (answer.usage) await asking.spent(answer.usage);
    const outcome =
      answer.kind === 'answered' ? await read(answer.text) : { ...answer, kind: 'given-up' as const };
    if (outcome.kind === 'done' || signal.aborted) return outcome;
    const patience = answer.kind === 'failed' ? (answer.retryAfterMs ?? 0) : 0;
    if (patience > MOST_PATIENCE_MS) return { ...outcome, restMs: patience };
    const pauseMs = RETRY_MS[attempt];
    if (pauseMs === undefined || outcome.reason === 'missing') return outcome;
    await wait(Math.max(pauseMs, patience), signal);
    if (signal.aborted) return outcome;
  }

  async function read(text: string): Promise<Exclude<Asked<T>, { kind: 'over-ceiling' }>> {
    await asking.replied(text);
    const parsed = parse(text);
    if (parsed.valid) return { kind: 'done', value: parsed.value };
    return {
      kind: 'given-up',
      reason: 'invalid-reply',
      message: `the reply cannot be read: ${parsed.reason}`,
    };
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
