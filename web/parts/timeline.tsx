/** Memories grouped by day, newest first. Only visible rows are in the document. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Memory } from '../../src/core/index.ts';
import type { MemoriesQuery, ProjectCard } from '../../src/http/index.ts';
import { dayOf } from '../time.ts';
import { counted } from '../words.ts';
import { nameAmong } from './agents.tsx';
import { DayTitle } from './day-title.tsx';
import { MemoryRow } from './memory-row.tsx';
import { Notice, NothingYet, ErrorNotice } from './notice.tsx';
import { useMemories } from './use-memories.ts';
import { useRows } from './use-rows.ts';

type Item =
  | { readonly kind: 'day'; readonly at: string; readonly count: number }
  | { readonly kind: 'memory'; readonly memory: Memory; readonly isLast: boolean; readonly isFirst: boolean };

const DAY_PX = 56;
const ROW_PX = 76;
/** The next page is loaded this far before the end is visible. */
const AHEAD = '1200px';

export function Timeline({
  query,
  agents = [],
  isFiltered = false,
}: {
  readonly query: MemoriesQuery;
  /** The agents of the project. */
  readonly agents?: ProjectCard['agents'];
  readonly isFiltered?: boolean;
}) {
  const { shown, error, isLoading, loadMore } = useMemories(query);
  const [isEndless, setEndless] = useState(false);
  if (error) return <ErrorNotice error={error} />;
  if (!shown) return <div class="waiting" aria-busy="true" />;
  if (shown.memories.length === 0)
    return isFiltered ? <Notice title="No memories match the filter" /> : <NothingYet />;
  const remaining = Math.max(shown.next ? 1 : 0, shown.total - shown.memories.length);
  return (
    <>
      <List memories={shown.memories} days={shown.days} total={shown.total} agents={agents} />
      {shown.next && (
        <MoreButton
          text={isLoading ? 'Loading…' : `Load more (${remaining.toLocaleString('en')} remaining)`}
          isEndless={isEndless}
          onMore={() => {
            // After the first click, scrolling loads more.
            setEndless(true);
            loadMore();
          }}
          loaded={shown.memories.length}
        />
      )}
    </>
  );
}

function MoreButton(props: {
  readonly text: string;
  readonly isEndless: boolean;
  readonly loaded: number;
  readonly onMore: () => void;
}) {
  const self = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!props.isEndless || !self.current) return;
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && props.onMore(), {
      rootMargin: AHEAD,
    });
    seen.observe(self.current);
    return () => seen.disconnect();
  }, [props.isEndless, props.loaded]);
  return (
    <button ref={self} type="button" class="more" data-testid="load-more" onClick={props.onMore}>
      {props.text}
    </button>
  );
}

function List(props: {
  readonly memories: readonly Memory[];
  readonly days: ReadonlyMap<string, number>;
  readonly total: number;
  readonly agents: ProjectCard['agents'];
}) {
  const { memories, days, agents } = props;
  const list = useRef<HTMLDivElement>(null);
  const items = useMemo(() => itemsOf(memories, days), [memories, days]);
  const rows = useRows({
    count: items.length,
    estimate: (i) => (items[i]?.kind === 'day' ? DAY_PX : ROW_PX),
    keyOf: (i) => keyOf(items[i]),
    list,
  });
  const now = new Date();
  return (
    <div class="timeline" data-testid="timeline" ref={list} style={{ height: `${rows.getTotalSize()}px` }}>
      {rows.getVirtualItems().map(({ index, key, start }) => (
        <div
          key={String(key)}
          class="timeline-item"
          data-index={index}
          ref={rows.measureElement}
          style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
        >
          <ItemOf item={items[index]} now={now} agents={agents} />
        </div>
      ))}
    </div>
  );
}

function ItemOf(props: {
  readonly item: Item | undefined;
  readonly now: Date;
  readonly agents: ProjectCard['agents'];
}) {
  const { item, now, agents } = props;
  if (!item) return null;
  if (item.kind === 'memory') {
    return (
      <div class={`slice${item.isFirst ? ' first' : ''}${item.isLast ? ' last' : ''}`}>
        <MemoryRow memory={item.memory} agent={nameAmong(agents, item.memory.provenance.agent)} />
      </div>
    );
  }
  return <DayTitle level="h3" at={item.at} now={now} count={counted(item.count, 'memory', 'memories')} />;
}

function itemsOf(memories: readonly Memory[], days: ReadonlyMap<string, number>): readonly Item[] {
  const items: Item[] = [];
  const dates = memories.map(({ at }) => dayOf(at));
  memories.forEach((memory, i) => {
    const isFirst = dates[i - 1] !== dates[i];
    if (isFirst) items.push({ kind: 'day', at: memory.at, count: days.get(dates[i] ?? '') ?? 0 });
    items.push({ kind: 'memory', memory, isFirst, isLast: dates[i + 1] !== dates[i] });
  });
  return items;
}

function keyOf(item: Item | undefined): string {
  if (!item) return '';
  return item.kind === 'day' ? `day-${dayOf(item.at)}` : item.memory.id;
}
