/**
 * Errors in EverMem's format: one message with a hint. Its clients search the whole answer for "401" and "404" to choose
 * what they show, so no other answer may contain those digits, not even in a request id. Pure.
 */
import { given, TidemarkError } from '../../core/index.ts';
import { failureOf } from '../http/index.ts';

interface EverMemFailure {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 502;
  readonly body: { readonly status: 'failed'; readonly code: string; readonly message: string };
  readonly retryAfter?: number;
}

/** Hints for users of the plugin, by status. Other statuses use the error's own hint. */
const HINTS: Readonly<Record<number, string>> = {
  400: 'The fields of each request are in docs/server-evermem.md of Tidemark.',
  401: 'Set EVERMEM_API_KEY to a key of this server (tmk_…); an owner of the team creates one with: tidemark server key create.',
  404: 'Set EVERMEM_API_URL to the address of this server, without a path.',
  413: 'Send smaller requests.',
  502: 'Messages that were answered with "queued" are not lost. Try again in a moment; if the error persists, the operator runs: tidemark server doctor.',
};

export function everMemFailure(error: unknown): EverMemFailure {
  const { status: own, body, retryAfter } = failureOf(error);
  // EverMem's clients know only 502 for an unavailable upstream.
  const status = own === 503 ? 502 : (own as EverMemFailure['status']);
  const hint =
    status === 400 && error instanceof TidemarkError && error.hint
      ? error.hint
      : (HINTS[status] ?? body.error.hint);
  const message = [sentence(body.error.message), hint].filter(Boolean).join(' ');
  return {
    status,
    body: {
      status: 'failed',
      code: body.error.code,
      message: status === 401 || status === 404 ? message : message.replace(/40([14])/g, '40 $1'),
    },
    ...given({ retryAfter }),
  };
}

/** Capitalises the text, unless it begins with a field name, and ends it with a full stop. */
function sentence(text: string): string {
  const line = /^[\w.]+(?::| or )/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
