/** One project: its memories by day. */
import { Notice, Shown } from '../parts/notice.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useTitle } from '../parts/use-title.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

export function ProjectView({ id }: { readonly id: string }) {
  const projects = useAnswer<'projects'>('/projects');
  const known = projects.kind === 'there' ? projects.value.find((project) => project.id === id) : undefined;
  useTitle(known?.name ?? 'Project');
  return (
    <Shown answer={projects} alone>
      {() =>
        known === undefined ? (
          <Notice title="There is no such project" alone>
            <a href="/projects">All projects</a>
          </Notice>
        ) : (
          <>
            <p class="crumbs">
              <a href="/projects">Projects</a> <span aria-hidden="true">/</span>
            </p>
            <h1>{known.name}</h1>
            <p class="lead">
              {known.memories.toLocaleString('en')} {known.memories === 1 ? 'memory' : 'memories'}
              {known.lastAt && <>, last worked on {ago(known.lastAt, new Date())}</>}
            </p>
            <h2 class="unseen">Memories by day</h2>
            <Timeline total={known.memories} project={id} />
          </>
        )
      }
    </Shown>
  );
}
