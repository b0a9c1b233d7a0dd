/** What was asked for, best first, as it is typed. */
import { MemoryRow } from '../parts/memory-row.tsx';
import { Notice, Shown } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import type { Found } from '../api.ts';
import { to } from '../route.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

const MOST_HITS = 50;
const EXAMPLES = ['kind:decision', 'kind:dead_end', 'kind:issue', 'since:yesterday', 'file:package.json'];

export function Search({ query }: { readonly query: string }) {
  const asked = query.trim();
  useTitle(asked === '' ? 'Search' : asked);
  const found = useAnswer<'search'>(
    asked === '' ? null : `/search?q=${encodeURIComponent(asked)}&limit=${MOST_HITS}`,
    true,
  );
  const projects = useAnswer<'projects'>('/projects');
  const named = new Map(projects.kind === 'there' ? projects.value.map(({ id, name }) => [id, name]) : []);
  return (
    <>
      <h1>Search</h1>
      {asked === '' ? (
        <Notice title="Ask for anything that happened">
          <p>Words, names of files, times, and filters:</p>
          <Examples />
        </Notice>
      ) : (
        <Shown answer={found}>
          {(value) => (
            <Results
              found={value}
              projectName={(id) => (named.size > 1 ? (named.get(id) ?? id) : undefined)}
              asked={asked}
            />
          )}
        </Shown>
      )}
    </>
  );
}

function Results(props: {
  readonly found: Found;
  readonly asked: string;
  readonly projectName: (id: string) => string | undefined;
}) {
  const { found, asked, projectName } = props;
  const { hits, query } = found;
  const now = new Date();
  const count =
    hits.length === MOST_HITS
      ? `The best ${MOST_HITS}`
      : hits.length === 1
        ? '1 memory'
        : `${hits.length} memories`;
  return (
    <>
      <p class="lead" role="status">
        {count} for “{asked}”
      </p>
      {(query.problems ?? []).map((problem) => (
        <p class="problem" key={problem}>
          {problem}
        </p>
      ))}
      {hits.length === 0 ? (
        <Notice title="Nothing like it is remembered">
          <p>Try fewer or other words, or one of the filters:</p>
          <Examples />
        </Notice>
      ) : (
        <ul class="rows results">
          {hits.map(({ memory, covered }) => (
            <MemoryRow
              key={memory.id}
              memory={memory}
              words={covered}
              when={ago(memory.at, now)}
              project={projectName(memory.project)}
            />
          ))}
        </ul>
      )}
    </>
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
