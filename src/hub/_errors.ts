/** Errors as the hub's API says them: a status, and always the same JSON shape. */
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { TidemarkError } from '../model/index.ts';

export interface ErrorAnswer {
  readonly status: ContentfulStatusCode;
  readonly body: {
    readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
  };
}

const STATUS: Readonly<Record<string, ContentfulStatusCode>> = {
  invalid: 400,
  locked: 401,
  'not-found': 404,
  method: 405,
  'turn-gone': 410,
  'too-large': 413,
  'index-missing': 503,
  'timed-out': 504,
};

export const LOCKED = new TidemarkError('locked', 'this browser has not been let in', {
  hint: 'Run `tidemark hub` for a fresh link.',
});

export function errorAnswer(error: unknown): ErrorAnswer {
  if (!(error instanceof TidemarkError)) {
    // What went wrong inside may name paths or quote memories; the log has it.
    return answer(500, 'internal', 'something went wrong in the daemon', 'Look at: tidemark logs');
  }
  return answer(STATUS[error.code] ?? 500, error.code, error.message, error.hint);
}

export function answer(
  status: ContentfulStatusCode,
  code: string,
  message: string,
  hint?: string,
): ErrorAnswer {
  return { status, body: { error: { code, message, ...(hint === undefined ? {} : { hint }) } } };
}
