/** The hub's errors as HTTP answers: a status, and always the same JSON shape. */
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { TidemarkError } from '../core/index.ts';
import { answer, type ErrorAnswer } from '../http/index.ts';

const STATUS: Readonly<Record<string, ContentfulStatusCode>> = {
  invalid: 400,
  locked: 401,
  usage: 400,
  'config.unknown_key': 404,
  'config.wrong_value': 400,
  'config.broken_file': 409,
  'not-found': 404,
  method: 405,
  busy: 409,
  conflict: 409,
  'turn-gone': 410,
  'too-large': 413,
  'content-type': 415,
  'index-missing': 503,
  'timed-out': 504,
};

export const LOCKED = new TidemarkError('locked', 'this browser is not signed in', {
  hint: 'Run `tidemark hub` for a new link.',
});

export function errorAnswer(error: unknown): ErrorAnswer {
  const status = error instanceof TidemarkError ? STATUS[error.code] : undefined;
  if (!(error instanceof TidemarkError) || status === undefined) {
    // The text of an unexpected error may name paths or quote memories; it belongs in the log.
    const code = error instanceof TidemarkError ? error.code : 'internal';
    return answer(500, code, 'something went wrong in the daemon', 'See: tidemark logs');
  }
  return answer(status, error.code, error.message, error.hint);
}
