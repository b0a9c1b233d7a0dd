/** One project: memories by day, open issues, memories in force, all on one page. */
import { useState } from 'preact/hooks';
import type { Memory, MemoryKind } from '../../src/core/index.ts';
import type { ProjectDetail } from '../../src/http/index.ts';
import { changes } from '../live.ts';
import { AgentFilter } from '../parts/agents.tsx';
import { KindMark, kindsName, ALL_KINDS } from '../parts/kind.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { MemoryRow } from '../parts/memory-row.tsx';
import { Notice, Shown } from '../parts/notice.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted, namesOf } from '../words.ts';

export function ProjectView({ id, tab }: { readonly id: string; readonly tab: string }) {
  const answer = useAnswer('GET /projects/:id', { id }, { again: changes.use() });
  useTitle(answer.kind === 'there' ? answer.value.name : 'Project');
  return (
    <Shown answer={answer} alone>
      {(project) => (
        <>
          <p class="crumbs">
            <a href={to.view('/projects')}>Projects</a>
          </p>
          <h1>{project.name}</h1>
          <p class="lead">
            {counted(project.memories, 'memory', 'memories')} from{' '}
            {project.authors ? namesOf(project.authors) : counted(project.sessions, 'session')}
            {project.lastAt && <>, last active {ago(project.lastAt, new Date())}</>}
          </p>
          <Tabs project={project} tab={tab} />
          <Tab project={project} tab={tab} />
        </>
      )}
    </Shown>
  );
}

function Tabs({ project, tab }: { readonly project: ProjectDetail; readonly tab: string }) {
  const tabs = [
    { tab: '', name: 'Timeline', count: undefined },
    { tab: 'issues', name: 'Open issues', count: project.openIssues.toLocaleString('en') },
    {
      tab: 'standing',
      name: 'In force',
      count: `${project.standing.length}${project.moreStands ? '+' : ''}`,
    },
    ...(project.authors ? [] : [{ tab: 'page', name: 'Page', count: undefined }]),
  ];
  return (
    <nav class="segments tabs" aria-label={`Parts of ${project.name}`}>
      {tabs.map((one) => (
        <a
          key={one.tab}
          href={to.project(project.id, one.tab)}
          aria-current={one.tab === tab ? 'page' : undefined}
        >
          {one.name}
          {one.count !== undefined && <span class="soft number">{one.count}</span>}
        </a>
      ))}
    </nav>
  );
}

function Tab({ project, tab }: { readonly project: ProjectDetail; readonly tab: string }) {
  switch (tab) {
    case 'issues':
      return project.issues.length === 0 ? (
        <Notice title="No open issues" />
      ) : (
        <>
          <List memories={project.issues} title="Open issues" />
          {project.openIssues > project.issues.length && (
            <p class="soft">
              The newest {project.issues.length}.{' '}
              <a href={to.search(`kind:issue project:${project.id}`)}>Search all open issues</a>
            </p>
          )}
        </>
      );
    case 'standing':
      return project.standing.length === 0 ? (
        <Notice title="No decisions yet">
          <p>Decisions and repeated preferences are listed here.</p>
        </Notice>
      ) : (
        <List memories={project.standing} title="In force" />
      );
    case 'page':
      return project.page === null ? (
        <Notice title="Nothing is remembered about this project yet" />
      ) : (
        <section class="panel" aria-label="Page of the project">
          <Markdown text={project.page} />
        </section>
      );
    default:
      return <ByDay project={project} />;
  }
}

function List({ memories, title }: { readonly memories: readonly Memory[]; readonly title: string }) {
  return (
    <>
      <h2 class="unseen">{title}</h2>
      <ul class="rows by-age">
        {memories.map((memory) => (
          <li key={memory.id}>
            <MemoryRow memory={memory} when={ago(memory.at, new Date())} />
          </li>
        ))}
      </ul>
    </>
  );
}

function ByDay({ project }: { readonly project: ProjectDetail }) {
  const [kind, setKind] = useState<MemoryKind>();
  const [agent, setAgent] = useState<ProjectDetail['agents'][number]>();
  const kinds = ALL_KINDS.filter((one) => project.byKind[one]);
  return (
    <>
      <h2 class="unseen">Memories by day</h2>
      {kinds.length > 1 && (
        <div class="filter" role="group" aria-label="Filter by kind">
          {kinds.map((one) => (
            <button
              key={one}
              type="button"
              class="kind-filter"
              aria-pressed={kind === one}
              onClick={() => setKind(kind === one ? undefined : one)}
            >
              <KindMark kind={one} />
              <span>{kindsName(one)}</span>
              <span class="soft number">{project.byKind[one]?.toLocaleString('en')}</span>
            </button>
          ))}
        </div>
      )}
      <AgentFilter agents={project.agents} agent={agent} onChange={setAgent} />
      <Timeline
        query={{ project: project.id, ...(kind ? { kind } : {}), ...(agent ? { agent } : {}) }}
        agents={project.agents}
        isFiltered={kind !== undefined || agent !== undefined}
      />
    </>
  );
}
