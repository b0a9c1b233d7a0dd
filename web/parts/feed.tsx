/** Live events, newest first: new, changed and injected memories. Below them, earlier memories. */
import { useEffect, useState } from 'preact/hooks';
import type { Memory } from '../../src/core/index.ts';
import type { MemoryDetail } from '../../src/http/index.ts';
import { ask } from '../api.ts';
import { isTeam } from '../here.ts';
import { changes, liveEntries, type ShownEvent, type LiveEntry } from '../live.ts';
import { to } from '../route.ts';
import { clock, when } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { Icon, type IconName } from './icon.tsx';
import { Kind } from './kind.tsx';
import { Text } from './text.tsx';
import { WHERE } from './where.ts';

/** Memories named per event; the rest are counted. */
const NAMED = 4;
const LABELS: Readonly<Record<Extract<ShownEvent, { kind: 'memories' }>['what'], string>> = {
  captured: 'New',
  remembered: 'Added by hand',
  changed: 'Changed',
  forgotten: 'Forgotten',
  restored: 'Restored',
};

export function Feed({ limit }: { readonly limit: number }) {
  const entries = liveEntries.use().slice(0, limit);
  const recent = useAnswer('GET /memories', { query: { limit: `${limit}` } }, { again: changes.use() });
  const isNew = new Set(entries.flatMap(({ event }) => (event.kind === 'memories' ? event.ids : [])));
  const before = recent.kind === 'there' ? recent.value.memories.filter(({ id }) => !isNew.has(id)) : [];
  const isQuiet = recent.kind === 'there' && entries.length + before.length === 0;
  return (
    <ul class="feed" data-testid="live">
      {isQuiet && <li class="soft">Nothing yet. Memories appear here while you work with your agent.</li>}
      {entries.map((entry) => (
        <Entry key={entry.key} entry={entry} />
      ))}
      {before.slice(0, Math.max(0, limit - entries.length)).map((memory) => (
        <Earlier key={memory.id} memory={memory} />
      ))}
    </ul>
  );
}

function Entry({ entry: { at, event } }: { readonly entry: LiveEntry }) {
  if (event.kind === 'recall') {
    return (
      <li class="fresh">
        <Mark icon="recall" name="Injected" />
        <div class="feed-text">
          <Named ids={event.memories.map(({ id }) => id)} />
          <p>
            Injected {WHERE[event.where]} · <a href={to.session(event.session)}>Show the session</a>
          </p>
        </div>
        <time dateTime={at}>{clock(at)}</time>
      </li>
    );
  }
  const [first] = event.ids;
  if (first === undefined) return null;
  return (
    <li class="fresh">
      {event.what === 'forgotten' ? <Mark icon="forget" name="Forgotten" /> : <FirstMark id={first} />}
      <div class="feed-text">
        {event.what === 'forgotten' ? (
          <span class="soft">{event.ids.length === 1 ? '1 memory' : `${event.ids.length} memories`}</span>
        ) : (
          <Named ids={event.ids} />
        )}
        <p>
          {event.what === 'forgotten' && !isTeam() ? (
            <a href={to.view('/trash')}>Open the trash</a>
          ) : (
            LABELS[event.what]
          )}
        </p>
      </div>
      <time dateTime={at}>{clock(at)}</time>
    </li>
  );
}

function Earlier({ memory }: { readonly memory: Memory }) {
  return (
    <li>
      <Kind kind={memory.kind} />
      <div class="feed-text">
        <a href={to.memory(memory.id)} data-row data-memory={memory.id}>
          <Text text={memory.title} />
        </a>
      </div>
      <time dateTime={memory.at}>{when(memory.at, new Date())}</time>
    </li>
  );
}

function Named({ ids }: { readonly ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, NAMED).map((id, i) => (
        <span key={id}>
          {i > 0 && ' · '}
          <Title id={id} />
        </span>
      ))}
      {ids.length > NAMED && <span class="soft"> and {ids.length - NAMED} more</span>}
    </>
  );
}

function Title({ id }: { readonly id: string }) {
  const detail = useDetail(id);
  return (
    <a href={to.memory(id)} data-row data-memory={id}>
      {detail ? <Text text={detail.memory.title} /> : id}
    </a>
  );
}

function Mark({ icon, name }: { readonly icon: IconName; readonly name: string }) {
  return (
    <span class="kind">
      <span class="mark">
        <Icon name={icon} />
      </span>
      <span class="kind-name">{name}</span>
    </span>
  );
}

function FirstMark({ id }: { readonly id: string }) {
  const detail = useDetail(id);
  return detail ? <Kind kind={detail.memory.kind} /> : <span class="kind" />;
}

const known = new Map<string, Promise<MemoryDetail>>();

/** The stream sends ids; each memory is loaded once. */
function useDetail(id: string): MemoryDetail | undefined {
  const [detail, setDetail] = useState<MemoryDetail>();
  useEffect(() => {
    let isOver = false;
    const asked = known.get(id) ?? ask('GET /memories/:id', { id });
    known.set(id, asked);
    asked.then(
      (value) => isOver || setDetail(value),
      () => known.delete(id), // forgotten, or not indexed yet
    );
    return () => void (isOver = true);
  }, [id]);
  return detail;
}
