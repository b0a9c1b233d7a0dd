/** An answer of the daemon as a piece of a view's state: waiting, there, or failed. */
import { useEffect, useState } from 'preact/hooks';
import { ask, asApiError, pathOf, type AnswerOf, type ApiError, type Asked, type Route } from './api.ts';

export type Answer<T> =
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'there';
      readonly value: T;
      /** It answers the question before; the one that is asked now is under way. */
      readonly isOld?: true;
    }
  | { readonly kind: 'failed'; readonly error: ApiError };

export interface Asking {
  /** Asks again when it changes, and shows the last answer until the next one is there. */
  readonly again?: number;
  /** Shows the last answer also while another question is asked. */
  readonly keep?: boolean;
}

const WAITING = { kind: 'waiting' } as const;

/** Asks again when the question changes. `null` asks nothing. */
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

/** For `aria-busy` of what shows a kept answer: there while another is on its way, no attribute otherwise. */
export function isOld(answer: Answer<unknown>): true | undefined {
  return answer.kind === 'there' ? answer.isOld : undefined;
}
