/** An answer of the daemon as a piece of a view's state: waiting, there, or failed. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, type Answers } from './api.ts';

export type Answer<T> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'there'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: ApiError };

const WAITING = { kind: 'waiting' } as const;

/** Asks again when the path changes; `keep` shows the last answer until the next one is there. `null` asks nothing. */
export function useAnswer<K extends keyof Answers>(path: string | null, keep = false): Answer<Answers[K]> {
  const [answer, setAnswer] = useState<Answer<Answers[K]>>(WAITING);
  useEffect(() => {
    if (path === null) return setAnswer(WAITING);
    const over = new AbortController();
    if (!keep) setAnswer(WAITING);
    get<K>(path, over.signal).then(
      (value) => {
        if (!over.signal.aborted) setAnswer({ kind: 'there', value });
      },
      (error: unknown) => {
        if (!over.signal.aborted) setAnswer({ kind: 'failed', error: asApiError(error) });
      },
    );
    return () => over.abort();
  }, [path, keep]);
  return answer;
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('page', String(error));
}
