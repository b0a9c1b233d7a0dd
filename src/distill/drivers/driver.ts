/** The port of model drivers: one bounded request in, one text out. */

/** `auto` tries them in this order. */
export const DRIVER_NAMES = ['claude', 'agent-sdk', 'api'] as const;
/**
 * Drivers through another agent. Only used when the settings name one: consent was given for another receiver of the turns.
 */
export const AGENT_DRIVERS = ['codex', 'opencode'] as const;
export type AgentDriverName = (typeof AGENT_DRIVERS)[number];
/** `queue` is only used when the settings name it. */
export type DriverName = (typeof DRIVER_NAMES)[number] | AgentDriverName | 'queue';

export function isAgentDriver(name: string): name is AgentDriverName {
  return (AGENT_DRIVERS as readonly string[]).includes(name);
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface DriverRequest {
  /** The agent's session the turn belongs to; a driver may keep one conversation for each. */
  readonly session: string;
  readonly system: string;
  readonly prompt: string;
  /** Schema of the answer, for models with structured output. */
  readonly schema: JsonSchema;
  /** Added to the prompt for other models: asks for the same answer as XML. */
  readonly asText: string;
}

export interface Usage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The cost that the other side reports; otherwise the price table is used. */
  readonly usd?: number;
  /** One answer may take several requests, for example if the first did not match the schema. */
  readonly requests: number;
}

export type FailureReason =
  | 'missing' // no such program, package, address or key on this machine
  | 'refused' // 401, 403
  | 'limited' // 429
  | 'overloaded' // 5xx, 529
  | 'unreachable'
  | 'cut-off' // the connection ended after the request was sent
  | 'timed-out'
  | 'died' // the process ended without an answer
  | 'no-answer' // any other failure
  | 'aborted';

export type DriverAnswer =
  | { readonly kind: 'answered'; readonly text: string; readonly usage: Usage }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      /** For users: no key, no text of the conversation. */
      readonly message: string;
      readonly retryAfterMs?: number;
      /** A failure may have a cost too. */
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
  /** How long a request may take, if the usual limit is too short. */
  readonly timeoutMs?: number;
  /** Returns expected failures, never throws them. Ends with the signal and leaves no process behind. */
  ask(request: DriverRequest, signal: AbortSignal): Promise<DriverAnswer>;
  /** Checks without cost whether the driver works. */
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

/** The failure reason of an HTTP status. */
export function reasonOfStatus(status: number): FailureReason {
  if (status === 401 || status === 403) return 'refused';
  if (status === 429) return 'limited';
  return status >= 500 ? 'overloaded' : 'no-answer';
}
