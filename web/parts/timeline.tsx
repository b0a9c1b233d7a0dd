/** Memories grouped by day, newest first, as many as one asks for. */
import { useEffect, useState } from 'preact/hooks';
import type { Memory } from '../../src/model/index.ts';
import { get, type ApiError } from '../api.ts';
import { byDay, dayOf, dayTitle } from '../time.ts';
import { asApiError } from '../use-answer.ts';
import { MemoryRow } from './memory-row.tsx';
import { NothingYet, Trouble } from './notice.tsx';

const AT_ONCE = 30;

export interface TimelineProps {
  readonly total: number;
  /** Only of this one; without it each memory says where it belongs. */
  readonly project?: string;
  readonly projectName?: (id: string) => string;
}

export function Timeline({ total, project, projectName }: TimelineProps) {
  const [memories, setMemories] = useState<readonly Memory[]>();
  const [error, setError] = useState<ApiError>();
  const [next, setNext] = useState<string | null>(null);
  const load = (before: string | null, signal: AbortSignal) => {
    const only = project === undefined ? '' : `&project=${encodeURIComponent(project)}`;
    const from = before === null ? '' : `&before=${encodeURIComponent(before)}`;
    get<'memories'>(`/memories?limit=${AT_ONCE}${from}${only}`, signal).then(
      (page) => {
        setMemories((have = []) => (before === null ? page.memories : [...have, ...page.memories]));
        setNext(page.next);
      },
      (failure: unknown) => signal.aborted || setError(asApiError(failure)),
    );
  };
  useEffect(() => {
    const over = new AbortController();
    load(null, over.signal);
    return () => over.abort();
  }, [project]);

  if (error) return <Trouble error={error} />;
  if (!memories) return <div class="waiting" aria-busy="true" />;
  if (memories.length === 0) return <NothingYet />;
  const remaining = total - memories.length;
  return (
    <>
      <Days memories={memories} {...(projectName ? { projectName } : {})} />
      {remaining > 0 && (
        <button type="button" class="more" onClick={() => load(next, new AbortController().signal)}>
          Load more ({remaining.toLocaleString('en')} remaining)
        </button>
      )}
    </>
  );
}

function Days(props: {
  readonly memories: readonly Memory[];
  readonly projectName?: (id: string) => string;
}) {
  const now = new Date();
  return (
    <>
      {byDay(props.memories, ({ at }) => at).map(({ at, items }) => (
        <section class="day" key={dayOf(at)}>
          <h3>
            <time dateTime={dayOf(at)}>{dayTitle(at, now)}</time>
            {dayOf(at) === dayOf(now.toISOString()) && <span class="badge today">Today</span>}
            <span class="day-count">{items.length === 1 ? '1 memory' : `${items.length} memories`}</span>
          </h3>
          <ul class="rows">
            {items.map((memory) => (
              <MemoryRow key={memory.id} memory={memory} project={props.projectName?.(memory.project)} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
