/** Sessions by day, each with its outcome. */
import { useEffect, useState } from 'preact/hooks';
import type { SessionCard, SessionList } from '../../src/http/index.ts';
import { ask, asApiError, type ApiError } from '../api.ts';
import { changes } from '../live.ts';
import { AgentFilter, agentsOf, nameAmong } from '../parts/agents.tsx';
import { DayTitle } from '../parts/day-title.tsx';
import { saysMore } from '../parts/memory-row.tsx';
import { NothingYet, ErrorNotice } from '../parts/notice.tsx';
import { sessionName } from '../parts/session-name.ts';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { byDay, clock, dayOf } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted } from '../words.ts';

const AT_ONCE = 50;

export function Sessions() {
  useTitle('Sessions');
  const [agent, setAgent] = useState<SessionCard['agent']>();
  const { list, error, loadMore } = useSessions(agent);
  const projects = useAnswer('GET /projects');
  const agents = agentsOf(projects.kind === 'there' ? projects.value : []);
  const named = new Map(projects.kind === 'there' ? projects.value.map(({ id, name }) => [id, name]) : []);
  const now = new Date();
  if (error) return <ErrorNotice error={error} alone />;
  return (
    <>
      <h1>Sessions</h1>
      <AgentFilter agents={agents} agent={agent} onChange={setAgent} />
      {!list && <div class="waiting" aria-busy="true" />}
      {list && list.total === 0 && <NothingYet />}
      {list && list.total > 0 && <p class="lead">{counted(list.total, 'session')}, most recent first.</p>}
      {byDay(list?.sessions ?? [], ({ lastAt }) => lastAt).map(({ at, items }) => (
        <section class="day" key={dayOf(at)}>
          <DayTitle level="h2" at={at} now={now} count={counted(items.length, 'session')} />
          <ul class="rows">
            {items.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                project={named.get(session.project)}
                agent={nameAmong(agents, session.agent)}
              />
            ))}
          </ul>
        </section>
      ))}
      {list?.next && (
        <button type="button" class="more" onClick={loadMore}>
          Load more ({(list.total - list.sessions.length).toLocaleString('en')} remaining)
        </button>
      )}
    </>
  );
}

function SessionRow(props: {
  readonly session: SessionCard;
  readonly project: string | undefined;
  readonly agent: string | undefined;
}) {
  const { id, turns, status, lastAt, branch, summary, memories } = props.session;
  const name = sessionName(props.session);
  return (
    <li class="row session">
      <time dateTime={lastAt}>{clock(lastAt)}</time>
      <div class="row-text">
        <a href={to.session(id)} data-row>
          <Text text={name} />
        </a>{' '}
        {status !== 'completed' && <span class={`badge status-${status}`}>{status}</span>}
        {summary?.completed && saysMore(name, summary.completed) && (
          <p>
            <Text text={summary.completed} />
          </p>
        )}
        <p class="small">
          {props.agent !== undefined && <>{props.agent} · </>}
          {turns > 0 && <>{counted(turns, 'turn')} · </>}
          {counted(memories, 'memory', 'memories')}
          {branch && <> · {branch}</>}
        </p>
      </div>
      {props.project !== undefined && <span class="row-project">{props.project}</span>}
    </li>
  );
}

function useSessions(agent: SessionCard['agent'] | undefined) {
  const version = changes.use();
  const of = agent === undefined ? {} : { agent };
  const [list, setList] = useState<SessionList>();
  const [error, setError] = useState<ApiError>();
  const [isLoading, setLoading] = useState(false);
  useEffect(() => {
    const over = new AbortController();
    // Load as many as are shown, because new sessions move the others down.
    const limit = Math.min(200, Math.max(AT_ONCE, list?.sessions.length ?? 0));
    ask('GET /sessions', { query: { limit: `${limit}`, ...of } }, over.signal).then(
      setList,
      (failure: unknown) => {
        if (!over.signal.aborted) setError(asApiError(failure));
      },
    );
    return () => over.abort();
  }, [version, agent]);
  const loadMore = () => {
    if (!list?.next || isLoading) return;
    setLoading(true);
    ask('GET /sessions', { query: { before: list.next, limit: `${AT_ONCE}`, ...of } })
      .then(
        (more) => setList({ ...more, sessions: [...list.sessions, ...more.sessions] }),
        (failure: unknown) => setError(asApiError(failure)),
      )
      .finally(() => setLoading(false));
  };
  return { list, error, loadMore };
}
