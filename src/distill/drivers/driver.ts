/** The port of asking a model: one bounded request, one text. What to ask and what the answer means is not its business. */

export const DRIVER_NAMES = ['claude', 'agent-sdk', 'api'] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface DriverRequest {
  /** The agent's session the turn belongs to; a driver may keep one conversation for each. */
  readonly session: string;
  readonly system: string;
  readonly prompt: string;
  /** The answer as JSON, where the model can be held to a schema. */
  readonly schema: JsonSchema;
  /** Added to the prompt where it cannot: the same answer as XML. */
  readonly asText: string;
}

export interface Usage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What the other side says it cost; left out, the price table decides. */
  readonly usd?: number;
  /** One answer may take several requests, e.g. when the first did not fit the schema. */
  readonly requests: number;
}

export type FailureReason =
  | 'missing' // no such program, package, address or key on this machine
  | 'refused' // 401, 403
  | 'limited' // 429
  | 'overloaded' // 5xx, 529
  | 'unreachable'
  | 'timed-out'
  | 'died' // the process ended without an answer
  | 'no-answer' // anything else that is not an answer
  | 'aborted';

export type DriverAnswer =
  | { readonly kind: 'answered'; readonly text: string; readonly usage: Usage }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      /** For people: no key, no text of the conversation. */
      readonly message: string;
      readonly retryAfterMs?: number;
      /** Failing may have cost something too. */
      readonly usage?: Usage;
    };

export interface DriverHealth {
  readonly works: boolean;
  readonly evidence: string;
  readonly next?: string;
}

export interface Driver {
  readonly name: DriverName;
  readonly model: string;
  /** Never throws for what is to be expected. Ends with the signal, and leaves no process behind. */
  ask(request: DriverRequest, signal: AbortSignal): Promise<DriverAnswer>;
  /** Whether it could be asked, found out without spending anything. */
  health(signal: AbortSignal): Promise<DriverHealth>;
  close(): Promise<void>;
}

export function failed(
  reason: FailureReason,
  message: string,
  more: { readonly retryAfterMs?: number; readonly usage?: Usage } = {},
): DriverAnswer {
  return { kind: 'failed', reason, message, ...more };
}

/** What an HTTP status says about why there is no answer. */
export function reasonOfStatus(status: number): FailureReason {
  if (status === 401 || status === 403) return 'refused';
  if (status === 429) return 'limited';
  return status >= 500 ? 'overloaded' : 'no-answer';
}
