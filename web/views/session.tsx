/** One session: summary, memories, prompts, injected memories, cost and files. */
import type { SummaryField } from '../../src/core/index.ts';
import type { SessionDetail } from '../../src/http/index.ts';
import { withFilter } from '../filters.ts';
import { agentTitle } from '../here.ts';
import { changes } from '../live.ts';
import { MemoryRow } from '../parts/memory-row.tsx';
import { Moments } from '../parts/moments.tsx';
import { Shown } from '../parts/notice.tsx';
import { Text } from '../parts/text.tsx';
import { sessionTitle } from './sessions.tsx';
import { Turns } from '../parts/turns.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { clock, dateAndTime } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted, dollars } from '../words.ts';

const FIELDS: Readonly<Record<SummaryField, string>> = {
  request: 'Request',
  investigated: 'Investigated',
  learned: 'Learned',
  completed: 'Completed',
  next_steps: 'Next steps',
  files_read: 'Files read',
  files_edited: 'Files edited',
  notes: 'Notes',
};

export function SessionView({ id }: { readonly id: string }) {
  const answer = useAnswer('GET /sessions/:id', { id }, { again: changes.use() });
  useTitle(answer.kind === 'there' ? sessionTitle(answer.value.session) : 'Session');
  return (
    <Shown answer={answer} alone>
      {(detail) => (
        <>
          <Heading detail={detail} />
          <div class="memory">
            <div>
              <Summary detail={detail} />
              <section aria-labelledby="made">
                <h2 id="made">Memories from this session</h2>
                {detail.memories.length === 0 ? (
                  <p class="soft">No memories from this session.</p>
                ) : (
                  <ul class="rows">
                    {detail.memories.map((memory) => (
                      <li key={memory.id}>
                        <MemoryRow memory={memory} />
                      </li>
                    ))}
                  </ul>
                )}
              </section>
              <Turns turns={detail.turns} />
              <Moments moments={detail.moments} />
            </div>
            <aside class="stack" aria-label="About this session">
              <Facts detail={detail} />
              <FilesOf detail={detail} />
            </aside>
          </div>
        </>
      )}
    </Shown>
  );
}

function Heading({ detail }: { readonly detail: SessionDetail }) {
  const { session } = detail;
  return (
    <>
      <p class="crumbs">
        <a href={to.view('/sessions')}>Sessions</a>
      </p>
      <h1>
        <Text text={sessionTitle(session)} />
      </h1>
      <p class="lead">
        {dateAndTime(session.startedAt)} to {clock(session.lastAt)}{' '}
        <span class={`badge status-${session.status}`}>{session.status}</span>
      </p>
    </>
  );
}

function Summary({ detail: { session } }: { readonly detail: SessionDetail }) {
  const { summary } = session;
  const fields = (Object.keys(FIELDS) as SummaryField[]).filter((field) => summary?.[field]);
  return (
    <section aria-labelledby="summary">
      <h2 id="summary">Summary</h2>
      {!summary || fields.length === 0 ? (
        <p class="soft">{session.status === 'active' ? 'Written when the session ends.' : 'No summary.'}</p>
      ) : (
        <dl class="summary panel">
          {fields.map((field) => (
            <div key={field}>
              <dt>{FIELDS[field]}</dt>
              <dd>
                <Text text={summary[field]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Facts({ detail: { session, projectName, cost } }: { readonly detail: SessionDetail }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Agent', agentTitle(session.agent)],
    ['Turns', session.turns.toLocaleString('en')],
    ...(session.branch ? [['Branch', session.branch] as const] : []),
    ...(session.source ? [['Started by', session.source] as const] : []),
    ...(session.reason ? [['Ended by', session.reason] as const] : []),
    [
      'Cost of distilling',
      cost.requests === 0
        ? 'none, no model was used'
        : `${dollars(cost.usd)}, ${counted(cost.requests, 'request')}, ${counted(cost.inputTokens + cost.outputTokens, 'token')}`,
    ],
  ];
  return (
    <section class="panel about">
      <h2>About this session</h2>
      <dl>
        <dt>Project</dt>
        <dd>
          <a href={to.project(session.project)}>{projectName}</a>
        </dd>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <dt>Id</dt>
        <dd>
          <code>{session.id}</code>
        </dd>
      </dl>
    </section>
  );
}

function FilesOf({ detail: { files } }: { readonly detail: SessionDetail }) {
  if (files.edited.length + files.read.length === 0) return null;
  return (
    <section class="panel about" aria-labelledby="files">
      <h2 id="files">Files</h2>
      <FileList title="Edited" files={files.edited} />
      <FileList title="Read" files={files.read} />
    </section>
  );
}

function FileList({ title, files }: { readonly title: string; readonly files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <>
      <h3 class="soft">{title}</h3>
      <ul>
        {files.map((file) => (
          <li key={file}>
            <a href={to.search(withFilter('', 'file', file))}>
              <code>{file}</code>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
