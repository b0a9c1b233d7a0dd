/** Search results while the user types. Filters can be typed or chosen. */
import type { SectionHit, Found, Hit, ProjectCard, TurnHit } from '../../src/http/index.ts';
import { filterIn, withFilter, type FilterName } from '../filters.ts';
import { agentTitle } from '../here.ts';
import { changes } from '../live.ts';
import { agentsOf, nameAmong } from '../parts/agents.tsx';
import { Choice } from '../parts/choice.tsx';
import { ALL_KINDS, kindsName } from '../parts/kind.tsx';
import { MemoryRow } from '../parts/memory-row.tsx';
import { Notice, Shown, withCode } from '../parts/notice.tsx';
import { ScoreOf } from '../parts/score.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import { go, to } from '../route.ts';
import { ago } from '../time.ts';
import { isOld, useAnswer } from '../use-answer.ts';

const MOST_HITS = 50;
const EXAMPLES = ['kind:decision', 'kind:dead_end', 'kind:issue', 'since:3d', 'file:package.json'];
const TIMES = [
  { value: '0d', name: 'Today' },
  { value: '1d', name: 'Since yesterday' },
  { value: '7d', name: 'The last 7 days' },
  { value: '1m', name: 'The last month' },
  { value: '6m', name: 'The last 6 months' },
];

export function Search({ query }: { readonly query: string }) {
  const asked = query.trim();
  useTitle(asked === '' ? 'Search' : asked);
  const found = useAnswer(
    'GET /search',
    asked === '' ? null : { query: { q: asked, limit: `${MOST_HITS}` } },
    { keep: true, again: changes.use() },
  );
  const projects = useAnswer('GET /projects');
  const all = projects.kind === 'there' ? projects.value : [];
  return (
    <>
      <h1>Search</h1>
      <Filters query={query} projects={all} />
      {asked === '' ? (
        <Notice title="Search your memories">
          <p>Use words, file names and filters:</p>
          <Examples />
        </Notice>
      ) : (
        <div aria-busy={isOld(found)}>
          <Shown answer={found}>{(value) => <Results found={value} projects={all} asked={asked} />}</Shown>
        </div>
      )}
    </>
  );
}

function Filters({ query, projects }: { readonly query: string; readonly projects: readonly ProjectCard[] }) {
  const agents = agentsOf(projects);
  const set = (name: FilterName, value: string) => go(to.search(withFilter(query, name, value)), 'replace');
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Kind"
        value={filterIn(query, 'kind')}
        choices={ALL_KINDS.map((kind) => ({ value: kind, name: kindsName(kind) }))}
        onChange={(value) => set('kind', value)}
      />
      <Choice
        label="Project"
        value={filterIn(query, 'project')}
        choices={projects.map(({ name }) => ({ value: name, name }))}
        onChange={(value) => set('project', value)}
      />
      {agents.length > 1 && (
        <Choice
          label="Agent"
          value={filterIn(query, 'agent')}
          choices={agents.map((agent) => ({ value: agent, name: agentTitle(agent) }))}
          onChange={(value) => set('agent', value)}
        />
      )}
      <Choice
        label="Since"
        value={filterIn(query, 'since')}
        choices={TIMES}
        onChange={(value) => set('since', value)}
      />
      <label>
        <span>File</span>
        <input
          // Uncontrolled: a live update must not replace what the user is typing.
          key={filterIn(query, 'file')}
          class="input"
          defaultValue={filterIn(query, 'file')}
          placeholder="any"
          spellcheck={false}
          onChange={(event) => set('file', event.currentTarget.value)}
        />
      </label>
    </form>
  );
}

function Results(props: {
  readonly found: Found;
  readonly asked: string;
  readonly projects: readonly ProjectCard[];
}) {
  const { found, asked, projects } = props;
  const { hits, turns, sections, query, considered } = found;
  const agents = agentsOf(projects);
  const nameOf = (id: string) =>
    projects.length > 1 ? (projects.find((project) => project.id === id)?.name ?? id) : undefined;
  const count =
    hits.length === MOST_HITS
      ? `The ${MOST_HITS} best memories`
      : hits.length === 1
        ? '1 memory'
        : `${hits.length} memories`;
  return (
    <>
      <p class="lead" role="status">
        {count} for “{asked}” <span class="unseen">of {considered} considered</span>
      </p>
      {query.problems.map((problem) => (
        <p class="problem" key={problem}>
          {withCode(problem)}
        </p>
      ))}
      {hits.length + turns.length + sections.length === 0 && (
        <Notice title="No memories found">
          <p>Try other words, or one of these filters:</p>
          <Examples />
        </Notice>
      )}
      {hits.length > 0 && (
        <ul class="rows results">
          {hits.map((hit) => (
            <HitRow
              key={hit.memory.id}
              hit={hit}
              project={nameOf(hit.memory.project)}
              agent={nameAmong(agents, hit.memory.provenance.agent)}
            />
          ))}
        </ul>
      )}
      {turns.length > 0 && <Turns turns={turns} />}
      {sections.length > 0 && <Sections sections={sections} />}
    </>
  );
}

function HitRow({
  hit,
  project,
  agent,
}: {
  readonly hit: Hit;
  readonly project: string | undefined;
  readonly agent: string | undefined;
}) {
  const { memory, matched } = hit;
  return (
    <li data-testid="search-hit">
      <MemoryRow
        memory={memory}
        words={matched}
        when={ago(memory.at, new Date())}
        project={project}
        agent={agent}
      >
        <ScoreOf score={hit.score} reasons={hit.reasons} cost={hit.cost} />
      </MemoryRow>
    </li>
  );
}

/** Conversations that match, with or without memories from them. */
function Turns({ turns }: { readonly turns: readonly TurnHit[] }) {
  return (
    <section class="turn-hits" aria-labelledby="turn-hits">
      <h2 id="turn-hits">Conversations</h2>
      <ul class="rows">
        {turns.map(({ id, session, at, prompt, answer, matched }) => (
          <li key={id} class="row session">
            <time dateTime={at}>{ago(at, new Date())}</time>
            <div class="row-text">
              <a href={`${to.session(session)}?turn=${encodeURIComponent(id)}`} data-row>
                <Text text={prompt} words={matched} />
              </a>
              <p>
                <Text text={answer} words={matched} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Sections of files that agents load themselves, as they are now. They are searched only, so they are plain text. */
function Sections({ sections }: { readonly sections: readonly SectionHit[] }) {
  return (
    <section class="turn-hits" aria-labelledby="section-hits">
      <h2 id="section-hits">Files that your agents load themselves</h2>
      <ul class="rows">
        {sections.map(({ id, label, evidence, path, title, text, at, matched }) => (
          <li key={id} class="row session" data-testid="section-hit">
            <time dateTime={at}>{ago(at, new Date())}</time>
            <div class="row-text">
              <p>
                <strong>
                  <Text text={title} words={matched} />
                </strong>{' '}
                · {label}
                {evidence === 'quoted' && ', quoted'}
              </p>
              <p>
                <Text text={text} words={matched} />
              </p>
              <p>
                <code>{path}</code>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Examples() {
  return (
    <ul class="chips">
      {EXAMPLES.map((example) => (
        <li key={example}>
          <a class="chip" href={to.search(example)}>
            {example}
          </a>
        </li>
      ))}
    </ul>
  );
}
