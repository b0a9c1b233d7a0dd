/** One memory: the entry, where it comes from, and the conversation itself. */
import { ConversationOf } from '../parts/conversation.tsx';
import { KindMark, StateBadge, kindName } from '../parts/kind.tsx';
import { Shown } from '../parts/notice.tsx';
import { saysMore } from '../parts/memory-row.tsx';
import { LongText, Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import type { Memory } from '../../src/model/index.ts';
import type { Entry } from '../api.ts';
import { to } from '../route.ts';
import { ago, dateAndTime } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

const MAKERS: Readonly<Record<string, string>> = {
  local: 'rules on this machine, no model',
  person: 'a person',
};

export function MemoryView({ id }: { readonly id: string }) {
  const entry = useAnswer<'entry'>(`/memories/${encodeURIComponent(id)}`);
  const projects = useAnswer<'projects'>('/projects');
  useTitle(entry.kind === 'there' ? entry.value.memory.title : 'Memory');
  return (
    <Shown answer={entry} alone>
      {(value) => {
        const { project } = value.memory;
        const known =
          projects.kind === 'there' ? projects.value.find((one) => one.id === project) : undefined;
        return (
          <div class="memory">
            <article>
              <Heading memory={value.memory} projectName={known?.name ?? project} />
              <Body memory={value.memory} />
              <Origin id={id} />
            </article>
            <Facts entry={value} projectName={known?.name ?? project} />
          </div>
        );
      }}
    </Shown>
  );
}

function Heading({ memory, projectName }: { readonly memory: Memory; readonly projectName: string }) {
  return (
    <>
      <p class="crumbs">
        <a href="/projects">Projects</a> <span aria-hidden="true">/</span>{' '}
        <a href={to.project(memory.project)}>{projectName}</a>
      </p>
      <p class="kind-line">
        <KindMark kind={memory.kind} />
        <span aria-hidden="true">{kindName(memory.kind)}</span>
        <StateBadge state={memory.state} />
        <span class="soft">{ago(memory.at, new Date())}</span>
      </p>
      <h1>
        <Text text={memory.title} />
      </h1>
    </>
  );
}

function Body({ memory }: { readonly memory: Memory }) {
  const { body, title, reason, facts, files } = memory;
  return (
    <>
      {saysMore(title, body) && (
        <div class="body">
          <LongText text={body} />
        </div>
      )}
      {reason && (
        <div class="reason">
          <h2>Why</h2>
          <p>
            <Text text={reason} />
          </p>
        </div>
      )}
      {facts.length > 0 && (
        <section>
          <h2>Facts</h2>
          <ul class="facts">
            {facts.map((fact) => (
              <li key={fact}>
                <Text text={fact} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {files.length > 0 && (
        <section>
          <h2>Files</h2>
          <ul class="chips">
            {files.map((file) => (
              <li key={file}>
                <a class="chip file" href={to.search(`file:${file.includes(' ') ? `"${file}"` : file}`)}>
                  {file}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Origin({ id }: { readonly id: string }) {
  const conversation = useAnswer<'conversation'>(`/memories/${encodeURIComponent(id)}/transcript`);
  return (
    <section aria-labelledby="origin" class="origin">
      <h2 id="origin">The conversation it came from</h2>
      <Shown answer={conversation}>{({ turn }) => <ConversationOf turn={turn} />}</Shown>
    </section>
  );
}

function Facts({ entry, projectName }: { readonly entry: Entry; readonly projectName: string }) {
  const { memory, journal, line, tokens } = entry;
  const { provenance } = memory;
  const replaced = memory.supersedes ?? [];
  return (
    <aside class="panel about">
      <h2>About this memory</h2>
      <dl>
        <dt>Project</dt>
        <dd>
          <a href={to.project(memory.project)}>{projectName}</a>
        </dd>
        <dt>When</dt>
        <dd>
          <time dateTime={memory.at}>{dateAndTime(memory.at)}</time>
        </dd>
        {memory.branch && <Fact name="Branch" value={memory.branch} />}
        <dt>Session</dt>
        <dd>
          <a href={to.search(`session:${provenance.session}`)}>All memories of this session</a>
        </dd>
        <Fact name="Made by" value={MAKERS[provenance.by] ?? provenance.by} />
        <Fact name="Costs" value={`${tokens.toLocaleString('en')} tokens when shown to the agent`} />
        {memory.concepts.length > 0 && <Fact name="Concepts" value={memory.concepts.join(', ')} />}
        {journal && <Fact name="Journal" value={line === undefined ? journal : `${journal}:${line}`} code />}
        <Fact name="Id" value={memory.id} code />
        {replaced.length > 0 && (
          <>
            <dt>Replaces</dt>
            {replaced.map((id) => (
              <dd key={id}>
                <a href={to.memory(id)}>{id}</a>
              </dd>
            ))}
          </>
        )}
        {memory.supersededBy && (
          <>
            <dt>Replaced by</dt>
            <dd>
              <a href={to.memory(memory.supersededBy)}>{memory.supersededBy}</a>
            </dd>
          </>
        )}
      </dl>
    </aside>
  );
}

function Fact(props: { readonly name: string; readonly value: string; readonly code?: boolean }) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd>{props.code ? <code>{props.value}</code> : props.value}</dd>
    </>
  );
}
