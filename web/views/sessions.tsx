/** Sessions by day, each with what came of it. */
import { NothingYet, Shown } from '../parts/notice.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import type { Session, SummaryField } from '../../src/model/index.ts';
import { to } from '../route.ts';
import { byDay, clock, dayOf, dayTitle } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

const MOST_SESSIONS = 100;
const FIELDS: Readonly<Record<SummaryField, string>> = {
  request: 'Asked for',
  investigated: 'Looked into',
  learned: 'Learned',
  completed: 'Done',
  next_steps: 'Next',
  files_read: 'Files read',
  files_edited: 'Files edited',
  notes: 'Notes',
};

export function Sessions() {
  useTitle('Sessions');
  const sessions = useAnswer<'sessions'>(`/sessions?limit=${MOST_SESSIONS}`);
  const projects = useAnswer<'projects'>('/projects');
  const named = new Map(projects.kind === 'there' ? projects.value.map(({ id, name }) => [id, name]) : []);
  const now = new Date();
  return (
    <>
      <h1>Sessions</h1>
      <Shown answer={sessions}>
        {({ sessions: all }) =>
          all.length === 0 ? (
            <NothingYet />
          ) : (
            <>
              {byDay(all, ({ lastAt }) => lastAt).map(({ at, items }) => (
                <section class="day" key={dayOf(at)}>
                  <h2>
                    <time dateTime={dayOf(at)}>{dayTitle(at, now)}</time>
                    {dayOf(at) === dayOf(now.toISOString()) && <span class="badge today">Today</span>}
                  </h2>
                  <ul class="rows">
                    {items.map((session) => (
                      <SessionRow
                        key={session.id}
                        session={session}
                        project={named.get(session.project) ?? session.project}
                      />
                    ))}
                  </ul>
                </section>
              ))}
              {all.length === MOST_SESSIONS && <p class="soft">Older ones: tidemark sessions</p>}
            </>
          )
        }
      </Shown>
    </>
  );
}

function SessionRow({ session, project }: { readonly session: Session; readonly project: string }) {
  const { id, title, turns, status, startedAt, branch, summary } = session;
  return (
    <li class="row session">
      <time dateTime={startedAt}>{clock(startedAt)}</time>
      <div class="row-text">
        <a href={to.search(`session:${id}`)} data-row>
          <Text text={title ?? summary?.request ?? 'A session without a title'} />
        </a>{' '}
        {status !== 'completed' && <span class={`badge status-${status}`}>{status}</span>}
        <p>
          {turns === 1 ? '1 turn' : `${turns} turns`}
          {branch && <> · {branch}</>}
        </p>
        {summary && <Summary summary={summary} />}
      </div>
      <span class="row-project">{project}</span>
    </li>
  );
}

function Summary({ summary }: { readonly summary: NonNullable<Session['summary']> }) {
  const fields = (Object.keys(FIELDS) as SummaryField[]).filter((field) => summary[field]);
  return (
    <details class="summary">
      <summary>Summary</summary>
      <dl>
        {fields.map((field) => (
          <div key={field}>
            <dt>{FIELDS[field]}</dt>
            <dd>
              <Text text={summary[field]} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
