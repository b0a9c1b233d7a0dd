/** Errors → HTTP status and a body with a hint. Details from the database go only to the log. */
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { TidemarkError } from '../../core/index.ts';
import { answer, type ErrorAnswer } from '../../http/index.ts';

/** The status of each error code, and the hint for errors that have none. */
const KNOWN: Readonly<Record<string, readonly [status: ContentfulStatusCode, hint: string]>> = {
  invalid: [400, 'The shape of each request is in /v1/openapi.json.'],
  unauthorized: [401, 'Send "Authorization: Bearer tmk_…" with a key that is neither expired nor revoked.'],
  forbidden: [403, 'Ask an owner of the team.'],
  'not-found': [404, 'It does not exist, or it is not shared with you.'],
  method: [405, 'The methods of each address are in /v1/openapi.json.'],
  conflict: [409, 'Read the current version, then change it again.'],
  'last-owner': [409, 'Make another member an owner first.'],
  'too-large': [413, 'Send it in several requests.'],
  'content-type': [415, 'Send the body as application/json.'],
  'too-many': [429, 'Wait as long as Retry-After says.'],
  upstream: [502, 'Try again later.'],
  unavailable: [503, 'Try again after a moment.'],
};
/** The error statuses that the API documents. */
export const EXPECTED = [400, 401, 403, 404, 409, 413, 415, 429, 502, 503] as const;
export type Expected = (typeof EXPECTED)[number];
/** Seconds a client waits before it retries while the database is unavailable. */
const RETRY_AFTER = 2;

export interface Failure extends ErrorAnswer {
  /** Seconds for the `Retry-After` header. */
  readonly retryAfter?: number;
}

/** The client sent too many requests and may retry after this many seconds. */
export class TooMany extends TidemarkError {
  readonly retryAfter: number;

  constructor(retryAfter: number, message: string) {
    super('too-many', message, { hint: `Retry after ${retryAfter} s, and send fewer requests.` });
    this.retryAfter = retryAfter;
  }
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof TidemarkError)) return INTERNAL;
  if (error.code === 'database-unavailable') return UNAVAILABLE;
  if (error.code.startsWith('database-')) return DATABASE_ERROR;
  const [status, hint] = KNOWN[error.code] ?? [];
  if (status === undefined) return INTERNAL;
  const shape = answer(status, error.code, error.message, error.hint ?? hint);
  if (error instanceof TooMany) return { ...shape, retryAfter: error.retryAfter };
  return status === 503 ? { ...shape, retryAfter: RETRY_AFTER } : shape;
}

const UNAVAILABLE: Failure = {
  ...answer(
    503,
    'unavailable',
    'the database cannot be reached right now',
    'Send the same request again after a moment; nothing is stored twice. If the error persists, the operator runs: tidemark server doctor',
  ),
  retryAfter: RETRY_AFTER,
};
const DATABASE_ERROR: Failure = answer(
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
