/** All projects, most recent first. */
import type { ProjectCard } from '../../src/http/index.ts';
import { changes } from '../live.ts';
import { ALL_KINDS, kindsName } from '../parts/kind.tsx';
import { NothingYet, Shown } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted, namesOf } from '../words.ts';

export function Projects() {
  useTitle('Projects');
  const projects = useAnswer('GET /projects', {}, { again: changes.use() });
  return (
    <>
      <h1>Projects</h1>
      <Shown answer={projects}>
        {(all) =>
          all.length === 0 ? (
            <NothingYet />
          ) : (
            <>
              <p class="lead">{counted(all.length, 'project')}, most recent first.</p>
              <ul class="projects">
                {all
                  .toSorted((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? ''))
                  .map((project) => (
                    <Card key={project.id} project={project} />
                  ))}
              </ul>
            </>
          )
        }
      </Shown>
    </>
  );
}

function Card({ project }: { readonly project: ProjectCard }) {
  const { id, name, memories, sessions, openIssues, lastAt, paths, authors } = project;
  return (
    <li class="project">
      <h2>
        <a href={to.project(id)} data-row>
          {name}
        </a>
      </h2>
      <p class="soft small">{lastAt ? `Last active ${ago(lastAt, new Date())}` : 'No activity yet'}</p>
      <Mix project={project} />
      <p class="project-facts">
        <span>{counted(memories, 'memory', 'memories')}</span>
        <span>{authors ? namesOf(authors) : counted(sessions, 'session')}</span>
        {openIssues > 0 && <span class="badge state-open">{counted(openIssues, 'open issue')}</span>}
      </p>
      {paths[0] && <code class="soft path">{paths[0]}</code>}
    </li>
  );
}

/** A strip with the share of each kind. */
function Mix({ project: { byKind, memories } }: { readonly project: ProjectCard }) {
  const kinds = ALL_KINDS.flatMap((kind) => (byKind[kind] ? [{ kind, count: byKind[kind] }] : []));
  if (kinds.length === 0) return null;
  const label = kinds.map(({ kind, count }) => `${count} ${kindsName(kind).toLowerCase()}`).join(', ');
  return (
    <div class="mix" role="img" aria-label={label} title={label}>
      {kinds.map(({ kind, count }) => (
        <i key={kind} class={`kind-${kind}`} style={{ width: `${(100 * count) / memories}%` }} />
      ))}
    </div>
  );
}
