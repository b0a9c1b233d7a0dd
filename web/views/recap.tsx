/** The recap: what was decided, done, fixed, learned and left open since a day, by project, to copy into a stand-up. */
import { useEffect, useState } from 'preact/hooks';
import { EVIDENCE_WORDS } from '../../src/core/words/index.ts';
import type { ProjectCard, RecapPage } from '../../src/http/index.ts';
import { changes } from '../live.ts';
import { Choice } from '../parts/choice.tsx';
import { NothingYet, Notice, Shown } from '../parts/notice.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import { go, to } from '../route.ts';
import { ZONE } from '../time.ts';
import { isOld, useAnswer } from '../use-answer.ts';
import { counted } from '../words.ts';

type Project = RecapPage['projects'][number];
type Line = Project['decided'][number];

const TIMES = [
  { value: 'today', name: 'Today' },
  { value: 'yesterday', name: 'Yesterday' },
  { value: 'this-week', name: 'Monday of this week' },
  { value: 'last-week', name: 'Monday of last week' },
  { value: '30d', name: '30 days ago' },
];
const SECTIONS = [
  ['decided', 'Decided'],
  ['done', 'Done'],
  ['fixed', 'Fixed'],
  ['learned', 'Learned'],
  ['open', 'Left open'],
] as const;
/** More lines than anyone reads. */
const ALL = '1000';

export function Recap({ since, project }: { readonly since: string; readonly project: string }) {
  useTitle('Recap');
  const [isWhole, setWhole] = useState(false);
  useEffect(() => setWhole(false), [since, project]);
  const query = {
    zone: ZONE,
    ...(since === '' ? {} : { since }),
    ...(project === '' ? {} : { project }),
    ...(isWhole ? { limit: ALL } : {}),
  };
  const again = changes.use();
  const answer = useAnswer('GET /recap', { query }, { keep: true, again });
  const known = useAnswer('GET /projects', {}, { again });
  const projects = known.kind === 'there' ? known.value : [];
  if (known.kind === 'there' && projects.length === 0) return <NothingYet alone />;
  return (
    <>
      <h1>Recap</h1>
      <Chosen since={since} project={project} projects={projects} />
      <div aria-busy={isOld(answer)}>
        <Shown answer={answer}>{(page) => <Projects page={page} onMore={() => setWhole(true)} />}</Shown>
      </div>
    </>
  );
}

function Chosen(props: {
  readonly since: string;
  readonly project: string;
  readonly projects: readonly ProjectCard[];
}) {
  const { since, project, projects } = props;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(since);
  const choose = (chosen: { readonly since?: string; readonly project?: string }) =>
    go(to.recap({ since, project, ...chosen }), 'replace');
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Since"
        value={since}
        none="Last working day"
        choices={TIMES}
        onChange={(value) => choose({ since: value })}
      />
      <label>
        <span>Or a day</span>
        <input
          class="input"
          type="date"
          value={isDay ? since : ''}
          onChange={(event) => choose({ since: event.currentTarget.value })}
        />
      </label>
      <Choice
        label="Project"
        value={project}
        none="all"
        choices={projects.map(({ id, name }) => ({ value: id, name }))}
        onChange={(value) => choose({ project: value })}
      />
    </form>
  );
}

function Projects({ page, onMore }: { readonly page: RecapPage; readonly onMore: () => void }) {
  if (page.projects.length === 0)
    return (
      <Notice title={page.title}>
        <p>Choose an earlier day{page.project ? ' or another project' : ''}.</p>
      </Notice>
    );
  return (
    <>
      <div class="recap-head">
        <p class="lead" role="status">
          {page.title}
        </p>
        <CopyButton text={page.markdown} />
      </div>
      {page.projects.map((project) => (
        <ProjectPanel key={project.id} project={project} onMore={onMore} />
      ))}
    </>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState('');
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(text),
      () => undefined, // the browser does not allow it; the text can be selected by hand
    );
  return (
    <button type="button" class="button" onClick={copy}>
      {copied === text ? 'Copied' : 'Copy as Markdown'}
    </button>
  );
}

function ProjectPanel({ project, onMore }: { readonly project: Project; readonly onMore: () => void }) {
  const { id, name, more, olderIssues } = project;
  return (
    <section class="panel recap" aria-labelledby={`recap-${id}`} data-testid="recap-project">
      <h2 id={`recap-${id}`}>
        <a href={to.project(id)}>{name}</a>
      </h2>
      {SECTIONS.map(([section, title]) => {
        const lines = project[section];
        if (lines.length === 0) return null;
        return (
          <div key={section} class={`recap-section ${section}`}>
            <h3>{title}</h3>
            <ul>
              {lines.map((line) => (
                <RecapLine key={line.memory ?? `${line.turn}${line.text}`} line={line} />
              ))}
            </ul>
          </div>
        );
      })}
      {(more > 0 || olderIssues > 0) && (
        <p class="soft small">
          {more > 0 && (
            <button type="button" class="quiet" onClick={onMore}>
              Show {counted(more, 'more line')}
            </button>
          )}
          {more > 0 && olderIssues > 0 && ' · '}
          {olderIssues > 0 && (
            <a href={to.project(id, 'issues')}>
              {counted(olderIssues, 'older issue is', 'older issues are')} still open
            </a>
          )}
        </p>
      )}
    </section>
  );
}

function RecapLine({ line }: { readonly line: Line }) {
  const { text, memory, session, commits = [], evidence, author } = line;
  const facts = [
    ...commits.map((hash) => `commit ${hash}`),
    ...(evidence === 'claimed' || evidence === 'quoted' ? [EVIDENCE_WORDS[evidence]] : []),
    ...(author === undefined ? [] : [`by ${author}`]),
  ];
  const target = memory === undefined ? to.session(session ?? '') : to.memory(memory);
  return (
    <li>
      <a href={target} data-row {...(memory === undefined ? {} : { 'data-memory': memory })}>
        <Text text={text} />
      </a>{' '}
      {facts.map((fact, i) => (
        <span key={fact} class="soft small">
          {i > 0 && ' · '}
          <span class="said-by">{fact}</span>
        </span>
      ))}
    </li>
  );
}
