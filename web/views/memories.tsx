/** All memories by day, the open issues, the changes and the memories used today: the whole lists of the first screen. */
import type { ComponentChildren } from 'preact';
import type { MemoriesQuery } from '../../src/http/index.ts';
import { useTeam } from '../here.ts';
import { changes } from '../live.ts';
import { ChangeRow } from '../parts/change-row.tsx';
import { Notice, Shown } from '../parts/notice.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { UseRow } from '../parts/use-row.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ZONE } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted } from '../words.ts';

const TABS = [
  { tab: '', name: 'All' },
  { tab: 'open', name: 'Still open' },
  { tab: 'changed', name: 'Changed' },
  { tab: 'used', name: 'Used today' },
];
const ALL: MemoriesQuery = {};
const OPEN: MemoriesQuery = { kind: 'issue', state: 'open' };
/** More than anyone reads in one list. */
const MOST = '200';

export function Memories({ tab }: { readonly tab: string }) {
  useTitle('Memories');
  const team = useTeam();
  // A team server records neither changes nor uses.
  const tabs = team ? TABS.slice(0, 2) : TABS;
  return (
    <>
      <h1>Memories</h1>
      <nav class="segments tabs" aria-label="Lists of memories">
        {tabs.map((one) => (
          <a key={one.tab} href={to.memories(one.tab)} aria-current={one.tab === tab ? 'page' : undefined}>
            {one.name}
          </a>
        ))}
      </nav>
      <Tab tab={tab} />
    </>
  );
}

function Tab({ tab }: { readonly tab: string }) {
  switch (tab) {
    case 'open':
      return <ByDay key="open" title="Open issues by day" query={OPEN} />;
    case 'changed':
      return <Changes />;
    case 'used':
      return <Uses />;
    default:
      return <ByDay key="all" title="Memories by day" query={ALL} />;
  }
}

function ByDay({ title, query }: { readonly title: string; readonly query: MemoriesQuery }) {
  return (
    <>
      <h2 class="unseen">{title}</h2>
      <Timeline query={query} isFiltered={query === OPEN} />
    </>
  );
}

function Changes() {
  const answer = useAnswer('GET /changes', { query: { limit: MOST } }, { again: changes.use() });
  return (
    <Shown answer={answer}>
      {(all) =>
        all.length === 0 ? (
          <Notice title="Nothing has changed yet">
            <p>
              When a decision is replaced, an issue is resolved or you edit a memory, the old and the new text
              appear here.
            </p>
          </Notice>
        ) : (
          <Panel title="Changed" text={`The last ${counted(all.length, 'change')}, newest first.`}>
            {all.map((change) => (
              <ChangeRow key={change.memory.id} change={change} />
            ))}
          </Panel>
        )
      }
    </Shown>
  );
}

function Uses() {
  const answer = useAnswer('GET /uses', { query: { zone: ZONE, limit: MOST } }, { again: changes.use() });
  return (
    <Shown answer={answer}>
      {({ memories, total }) =>
        total === 0 ? (
          <Notice title="No memory was used today so far">
            <p>Start a session with your agent: the memories it gets appear here, with the session.</p>
          </Notice>
        ) : (
          <Panel
            title="Used today"
            text={`${counted(total, 'memory', 'memories')} injected today, the latest first.`}
          >
            {memories.map((use) => (
              <UseRow key={use.memory.id} use={use} />
            ))}
          </Panel>
        )
      }
    </Shown>
  );
}

function Panel(props: {
  readonly title: string;
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="panel whole" aria-label={props.title}>
      <p class="soft">{props.text}</p>
      <ul class="items">{props.children}</ul>
    </section>
  );
}
