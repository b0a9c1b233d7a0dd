/**
 * What went wrong, in the shape EverMem's clients show: one flat message that says what to do. They look for "401" and
 * "404" anywhere in an answer to choose their words, so no other answer may hold those digits, ids of requests included. Pure.
 */
import { given, TidemarkError } from '../../core/index.ts';
import { failureOf } from '../http/index.ts';

export interface EverMemFailure {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 502;
  readonly body: { readonly status: 'failed'; readonly code: string; readonly message: string };
  readonly retryAfter?: number;
}

/** What to do, in the words of who uses the plugin; where nothing stands here, the error's own hint does. */
const HINTS: Readonly<Record<number, string>> = {
  400: 'What each request takes is in docs/server-evermem.md of Tidemark.',
  401: 'Set EVERMEM_API_KEY to a key of this server (tmk_…); an owner of the team makes one with: tidemark server key create.',
  404: 'Set EVERMEM_API_URL to the address of this server, without a path behind it.',
  413: 'Send less at once.',
  502: 'Nothing is lost that was answered with "queued". Try again in a moment; if it stays so, the operator runs: tidemark server doctor.',
};

export function everMemFailure(error: unknown): EverMemFailure {
  const { status, body, retryAfter } = failureOf(error);
  // Its clients know an upstream that is away only as this.
  const told = status === 503 ? 502 : (status as EverMemFailure['status']);
  const hint =
    told === 400 && error instanceof TidemarkError && error.hint
      ? error.hint
      : (HINTS[told] ?? body.error.hint);
  const message = [sentence(body.error.message), hint].filter(Boolean).join(' ');
  return {
    status: told,
    body: {
      status: 'failed',
      code: body.error.code,
      message: told === 401 || told === 404 ? message : withoutTheirs(message),
    },
    ...given({ retryAfter }),
  };
}

function withoutTheirs(message: string): string {
  return message.replace(/40([14])/g, '40 $1');
}

/** What begins with the name of a field stays as it is: names are not ours to write otherwise. */
function sentence(text: string): string {
  const said = /^[\w.]+(?::| or )/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
