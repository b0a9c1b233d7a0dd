/** Loads memories page by page, newest first, and keeps them up to date. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Memory } from '../../src/core/index.ts';
import type { DayCount, MemoriesQuery } from '../../src/http/index.ts';
import { ask, asApiError, pathOf, type ApiError } from '../api.ts';
import { changes } from '../live.ts';
import { ZONE } from '../time.ts';

const FIRST_PAGE = 50;
const NEXT_PAGE = 200;

export interface Memories {
  readonly memories: readonly Memory[];
  readonly total: number;
  readonly next: string | null;
  readonly days: ReadonlyMap<string, number>;
}

interface MemoriesAsked {
  readonly shown: Memories | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly loadMore: () => void;
}

export function useMemories(query: MemoriesQuery): MemoriesAsked {
  const version = changes.use();
  const asked = { zone: ZONE, ...query };
  const path = pathOf('GET /memories', { query: asked });
  const [shown, setShown] = useState<Memories>();
  const [error, setError] = useState<ApiError>();
  const [isLoading, setLoading] = useState(false);
  const of = useRef(path);
  useEffect(() => {
    const over = new AbortController();
    if (of.current !== path) setShown(undefined);
    of.current = path;
    ask('GET /memories', { query: { ...asked, limit: `${FIRST_PAGE}` } }, over.signal).then(
      ({ memories, total, next, days }) => {
        if (over.signal.aborted) return;
        setError(undefined);
        // From the current state: more may have been loaded since the request.
        setShown((had) => renewed(had, { memories, total, next, days: daysOf(days) }));
      },
      (failure: unknown) => over.signal.aborted || setError(asApiError(failure)),
    );
    return () => over.abort();
  }, [path, version]);
  const loadMore = () => {
    if (!shown?.next || isLoading) return;
    setLoading(true);
    ask('GET /memories', { query: { ...asked, before: shown.next, limit: `${NEXT_PAGE}` } })
      .then(
        ({ memories, total, next, days }) =>
          setShown((had) =>
            had && of.current === path
              ? {
                  memories: unique([...had.memories, ...memories]),
                  total,
                  next,
                  days: new Map([...had.days, ...daysOf(days)]),
                }
              : had,
          ),
        (failure: unknown) => setError(asApiError(failure)),
      )
      .finally(() => setLoading(false));
  };
  return { shown, error, isLoading, loadMore };
}

/** The new first page, followed by the older memories that were already loaded. */
function renewed(had: Memories | undefined, first: Memories): Memories {
  const last = first.memories.at(-1);
  if (!had || !last || had.memories.length <= first.memories.length) return first;
  const fresh = new Set(first.memories.map(({ id }) => id));
  const older = had.memories.filter(({ id, at }) => !fresh.has(id) && at <= last.at);
  return {
    memories: unique([...first.memories, ...older]),
    total: first.total,
    next: had.next,
    days: new Map([...had.days, ...first.days]),
  };
}

function daysOf(days: readonly DayCount[]): ReadonlyMap<string, number> {
  return new Map(days.map(({ date, count }) => [date, count]));
}

function unique(memories: readonly Memory[]): readonly Memory[] {
  return [...new Map(memories.map((memory) => [memory.id, memory])).values()];
}
