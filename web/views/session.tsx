/** One session: summary, memories, prompts, injected memories and files. */
import type { SessionSummary, SummaryField } from '../../src/core/index.ts';
import type { SessionDetail } from '../../src/http/index.ts';
import { withFilter } from '../filters.ts';
import { agentTitle } from '../here.ts';
import { changes } from '../live.ts';
import { MemoryRow, saysMore } from '../parts/memory-row.tsx';
import { Moments } from '../parts/moments.tsx';
import { Shown } from '../parts/notice.tsx';
import { sessionName } from '../parts/session-name.ts';
import { Text } from '../parts/text.tsx';
import { Turns } from '../parts/turns.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { clock, dateAndTime, dayOf } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

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

/** How a session began and ended, by the client's own words. */
const STARTS: Readonly<Record<string, string>> = {
  startup: 'New',
  resume: 'Resumed',
  fork: 'Copied from another session',
  clear: 'After /clear',
  compact: 'After a compaction',
};
const ENDS: Readonly<Record<string, string>> = {
  clear: 'With /clear',
  logout: 'When you logged out',
  prompt_input_exit: 'By you',
  killed: 'Its program was stopped',
  other: 'For another reason',
};

export function SessionView({ id }: { readonly id: string }) {
  const answer = useAnswer('GET /sessions/:id', { id }, { again: changes.use() });
  useTitle(answer.kind === 'there' ? sessionName(answer.value.session) : 'Session');
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
                  <p class="soft">This session has no memories.</p>
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

/** Leaves out what the page shows elsewhere: files, the titles of memories, and a request that is the first prompt. */
function newInSummary({ session, memories, files, turns }: SessionDetail): SessionSummary | undefined {
  const { summary } = session;
  if (!summary) return undefined;
  const shown = [sessionName(session), ...memories.map(({ title }) => title)];
  const isNew = (line: string) => shown.every((other) => saysMore(other, line));
  const rest = (text: string) => text.split('; ').filter(isNew).join('; ');
  return {
    ...summary,
    request: saysMore(turns[0]?.prompt ?? '', summary.request) ? summary.request : '',
    investigated: files.read.length > 0 ? withoutFileCount(summary.investigated) : summary.investigated,
    learned: rest(summary.learned),
    completed: rest(summary.completed),
    next_steps: rest(summary.next_steps),
    notes: rest(summary.notes),
    files_read: files.read.length > 0 ? '' : summary.files_read,
    files_edited: files.edited.length > 0 ? '' : summary.files_edited,
  };
}

/** The number of files read says nothing next to their list. */
function withoutFileCount(investigated: string): string {
  return investigated
    .split('; ')
    .filter((line) => !/^read \d+ files?$/.test(line))
    .join('; ');
}

function withoutSummary({ status }: SessionDetail['session']): string {
  return status === 'active' ? 'It is written when the session ends.' : 'This session has no summary.';
}

function Heading({ detail }: { readonly detail: SessionDetail }) {
  const { session } = detail;
  const isOneDay = dayOf(session.startedAt) === dayOf(session.lastAt);
  return (
    <>
      <p class="crumbs">
        <a href={to.view('/sessions')}>Sessions</a>
      </p>
      <h1>
        <Text text={sessionName(session)} />
      </h1>
      <p class="lead">
        {dateAndTime(session.startedAt)} to {isOneDay ? clock(session.lastAt) : dateAndTime(session.lastAt)}{' '}
        <span class={`badge status-${session.status}`}>{session.status}</span>
      </p>
    </>
  );
}

function Summary({ detail }: { readonly detail: SessionDetail }) {
  const { session } = detail;
  const summary = newInSummary(detail);
  const fields = (Object.keys(FIELDS) as SummaryField[]).filter((field) => summary?.[field]);
  // Everything it says is shown elsewhere on the page.
  if (summary && fields.length === 0 && session.status !== 'active') return null;
  return (
    <section aria-labelledby="summary">
      <h2 id="summary">Summary</h2>
      {!summary || fields.length === 0 ? (
        <p class="soft">{withoutSummary(session)}</p>
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

function Facts({ detail: { session, projectName } }: { readonly detail: SessionDetail }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Agent', agentTitle(session.agent)],
    ['Turns', session.turns.toLocaleString('en')],
    ...(session.branch ? [['Branch', session.branch] as const] : []),
    ...startAndEnd(session),
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

/** An imported session has no record of how it started and ended. */
function startAndEnd({ source, reason }: SessionDetail['session']): readonly (readonly [string, string])[] {
  if (source === 'import') return [['Captured', 'By an import']];
  return [
    ...(source ? [['Started', STARTS[source] ?? source] as const] : []),
    ...(reason ? [['Ended', ENDS[reason] ?? reason] as const] : []),
  ];
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
