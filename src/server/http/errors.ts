/** What went wrong, as a status and a body that says what to do. What the database complained of stays in the log. */
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { TidemarkError } from '../../core/index.ts';
import { answer, type ErrorAnswer } from '../../http/index.ts';

/** Of each code: its status, and what to do where the error itself does not say. */
const KNOWN: Readonly<Record<string, readonly [status: ContentfulStatusCode, hint: string]>> = {
  invalid: [400, 'The shape of each request is in /v1/openapi.json.'],
  unauthorized: [401, 'Send "Authorization: Bearer tmk_…" with a key that is neither expired nor revoked.'],
  forbidden: [403, 'Ask an owner of the team.'],
  'not-found': [404, 'It does not exist, or it is not shared with you.'],
  method: [405, 'The methods of each address are in /v1/openapi.json.'],
  conflict: [409, 'Read it again, and decide anew.'],
  'last-owner': [409, 'Make somebody else an owner first.'],
  'too-large': [413, 'Send it in several requests.'],
  'content-type': [415, 'Send the body as application/json.'],
  'too-many': [429, 'Wait as long as Retry-After says.'],
  upstream: [502, 'Try again later.'],
  unavailable: [503, 'Try again after a moment.'],
};
/** The ones a client must be ready for, as the documentation lists them. */
export const EXPECTED = [400, 401, 403, 404, 409, 413, 415, 429, 502, 503] as const;
export type Expected = (typeof EXPECTED)[number];
/** So long a client waits before it asks again when the database is away, in seconds. */
const COME_BACK_AFTER = 2;

export interface Failure extends ErrorAnswer {
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number;
}

/** Carries the seconds after which it may be tried again. */
export class TooMany extends TidemarkError {
  readonly retryAfter: number;

  constructor(retryAfter: number, message: string) {
    super('too-many', message, { hint: `Go on after ${retryAfter} s; in the long run, ask less often.` });
    this.retryAfter = retryAfter;
  }
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof TidemarkError)) return INTERNAL;
  if (error.code === 'database-unavailable') return AWAY;
  if (error.code.startsWith('database-')) return BROKEN;
  const [status, hint] = KNOWN[error.code] ?? [];
  if (status === undefined) return INTERNAL;
  const shape = answer(status, error.code, error.message, error.hint ?? hint);
  if (error instanceof TooMany) return { ...shape, retryAfter: error.retryAfter };
  return status === 503 ? { ...shape, retryAfter: COME_BACK_AFTER } : shape;
}

const AWAY: Failure = {
  ...answer(
    503,
    'unavailable',
    'the database cannot be reached right now',
    'Send the same request again after a moment: what was stored already is not stored twice. If it stays so, the operator runs: tidemark server doctor',
  ),
  retryAfter: COME_BACK_AFTER,
};
const BROKEN: Failure = answer(
  502,
  'upstream',
  'the database answered with an error; nothing was stored',
  'The operator finds the reason in the log of the server, and with: tidemark server doctor',
);
const INTERNAL: Failure = answer(
  500,
  'internal',
  'something went wrong in the server; nothing was stored',
  'The operator finds the reason in the log of the server.',
);
