/** A hook for one request: waiting, answered or failed. */
import { useEffect, useState } from 'preact/hooks';
import { ask, asApiError, pathOf, type AnswerOf, type ApiError, type Asked, type Route } from './api.ts';

export type Answer<T> =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'there';
      readonly value: T;
      /** The answer to the previous request, while the current one is running. */
      readonly isOld?: true;
    }
  | { readonly kind: 'failed'; readonly error: ApiError };

interface Asking {
  /** A change repeats the request; the last answer stays until the next one arrives. */
  readonly again?: number;
  /** Keeps the last answer while a different request is running. */
  readonly keep?: boolean;
}

const WAITING = { kind: 'waiting' } as const;

/** Sends the request again when it changes. `null` sends nothing. */
export function useAnswer<R extends Route>(
  route: R,
  asked: Asked<R> | null = {},
  { again = 0, keep = false }: Asking = {},
): Answer<AnswerOf<R>> {
  const path = asked === null ? null : pathOf(route, asked);
  const [state, setState] = useState<{ path: string | null; answer: Answer<AnswerOf<R>> }>({
    path,
    answer: WAITING,
  });
  useEffect(() => {
    if (asked === null) return;
    const over = new AbortController();
    ask(route, asked, over.signal).then(
      (value) => {
        if (!over.signal.aborted) setState({ path, answer: { kind: 'there', value } });
      },
      (error: unknown) => {
        if (!over.signal.aborted) setState({ path, answer: { kind: 'failed', error: asApiError(error) } });
      },
    );
    return () => over.abort();
  }, [path, again]);
  if (path === null) return WAITING;
  if (state.path === path) return state.answer;
  return keep && state.answer.kind === 'there' ? { ...state.answer, isOld: true } : WAITING;
}

/** For `aria-busy`: true while an old answer is shown, otherwise no attribute. */
export function isOld(answer: Answer<unknown>): true | undefined {
  return answer.kind === 'there' ? answer.isOld : undefined;
}
