/** The first screen: what was learned lately, is still open, has changed, and was used today. */
import type { ComponentChildren } from 'preact';
import type { Memory } from '../../src/core/index.ts';
import type { Home } from '../../src/http/index.ts';
import { to } from '../route.ts';
import { when } from '../time.ts';
import { ChangeRow } from './change-row.tsx';
import { Kind } from './kind.tsx';
import { Text } from './text.tsx';
import { UseRow } from './use-row.tsx';

export function HomeLists({ home }: { readonly home: Home }) {
  const { learned, open, openTotal, changed, used, names } = home;
  return (
    <div class="grid home" data-testid="home">
      <List
        id="learned"
        title="Learned lately"
        href=""
        all="All memories"
        isEmpty={learned.length === 0}
        empty="Nothing yet. What you decide, fix and find out in sessions appears here."
      >
        {learned.map((memory) => (
          <Item key={memory.id} memory={memory} project={names[memory.project] ?? memory.project} />
        ))}
      </List>
      <List
        id="open"
        title="Still open"
        href="open"
        all={
          openTotal > open.length ? `All ${openTotal.toLocaleString('en')} open issues` : 'All open issues'
        }
        isEmpty={open.length === 0}
        empty="No open issues. A problem that a session leaves unsolved appears here until it is resolved."
      >
        {open.map((memory) => (
          <Item key={memory.id} memory={memory} project={names[memory.project] ?? memory.project} />
        ))}
      </List>
      {changed && (
        <List
          id="changed"
          title="Changed"
          href="changed"
          all="All changes"
          isEmpty={changed.length === 0}
          empty="Nothing has changed yet. When a decision is replaced, an issue is resolved or you edit a memory, the old and the new text appear here."
        >
          {changed.map((change) => (
            <ChangeRow key={change.memory.id} change={change} />
          ))}
        </List>
      )}
      {used && (
        <List
          id="used"
          title="Used today"
          href="used"
          all={
            used.total > used.memories.length
              ? `All ${used.total.toLocaleString('en')} used today`
              : 'All used today'
          }
          isEmpty={used.memories.length === 0}
          empty="No memory was used today so far. Start a session with your agent: the memories it gets appear here, with the session."
        >
          {used.memories.map((use) => (
            <UseRow key={use.memory.id} use={use} />
          ))}
        </List>
      )}
    </div>
  );
}

function List(props: {
  readonly id: string;
  readonly title: string;
  /** The tab of the view of all memories. */
  readonly href: string;
  readonly all: string;
  readonly isEmpty: boolean;
  readonly empty?: string;
  readonly children: ComponentChildren;
}) {
  const { id, title, href, all, isEmpty, empty = '', children } = props;
  return (
    <section class="panel half" aria-labelledby={`home-${id}`}>
      <header>
        <h2 id={`home-${id}`}>{title}</h2>
        {!isEmpty && (
          <a class="small" href={to.memories(href)}>
            {all}
          </a>
        )}
      </header>
      {isEmpty ? <p class="soft">{empty}</p> : <ul class="items">{children}</ul>}
    </section>
  );
}

function Item({ memory, project }: { readonly memory: Memory; readonly project: string }) {
  const { id, kind, title, at, author } = memory;
  return (
    <li class="item" data-testid="home-memory">
      <Kind kind={kind} />
      <div class="item-text">
        <a href={to.memory(id)} data-row data-memory={id}>
          <Text text={title} />
        </a>
        <p>
          {project}
          {author !== undefined && ` · by ${author}`}
        </p>
      </div>
      <time dateTime={at}>{when(at, new Date())}</time>
    </li>
  );
}
