/** Every project, the one worked on last first. */
import { NothingYet, Shown } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

export function Projects() {
  useTitle('Projects');
  const projects = useAnswer<'projects'>('/projects');
  const now = new Date();
  return (
    <>
      <h1>Projects</h1>
      <Shown answer={projects}>
        {(all) =>
          all.length === 0 ? (
            <NothingYet />
          ) : (
            <ul class="projects">
              {all
                .toSorted((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? ''))
                .map(({ id, name, memories, lastAt, paths }) => (
                  <li key={id} class="project">
                    <a href={to.project(id)} data-row>
                      {name}
                    </a>
                    <p class="project-count">
                      <b>{memories.toLocaleString('en')}</b> {memories === 1 ? 'memory' : 'memories'}
                    </p>
                    <p class="soft">{lastAt ? `Last worked on ${ago(lastAt, now)}` : 'Not worked on yet'}</p>
                    {paths[0] && <code class="soft path">{paths[0]}</code>}
                  </li>
                ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}
