/** Import of past sessions on this machine, with progress. */
import { useEffect, useState } from 'preact/hooks';
import type { ImportSource, ImportState } from '../../src/http/index.ts';
import { ask, asApiError, type ApiError } from '../api.ts';
import { agentTitle } from '../here.ts';
import { connection, importing, memoriesChanged } from '../live.ts';
import { Field, Problem } from '../parts/field.tsx';
import { Notice, Shown } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { plainDay } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted, percent, size } from '../words.ts';

/** How often progress is requested while the live stream is down. */
const POLL_MS = 1500;

export function Import() {
  useTitle('Import');
  const sources = useAnswer('GET /import/sources');
  return (
    <>
      <h1>Import</h1>
      <p class="lead">
        Import the sessions that coding agents stored on this machine, the newest first. It is free, and
        nothing is sent: rules make memories at once, and the small model on this machine reads the sessions
        afterwards, in the background. You can stop it and continue later; nothing is imported twice.
      </p>
      <Shown answer={sources}>
        {(all) => {
          const some = all.filter(({ sessions }) => sessions > 0);
          return some.length === 0 ? (
            <Notice title="No past sessions found">
              <p>Some agents delete old sessions after a while. New ones are captured automatically.</p>
            </Notice>
          ) : (
            <div class="stack import">
              <Run />
              {some.map((source) => (
                <Source key={source.agent} source={source} />
              ))}
            </div>
          );
        }}
      </Shown>
    </>
  );
}

function Source({ source }: { readonly source: ImportSource }) {
  const { agent, folder, sessions, bytes, oldest, newest } = source;
  const title = agentTitle(agent);
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <p>
        {counted(sessions, 'session')}, {size(bytes)}
        {oldest && newest && `, ${daysFrom(oldest.slice(0, 10), newest.slice(0, 10))}`}
      </p>
      <p class="soft small">
        <code>{folder}</code>
      </p>
    </section>
  );
}

function daysFrom(oldest: string, newest: string): string {
  return oldest === newest ? `from ${plainDay(newest)}` : `from ${plainDay(oldest)} to ${plainDay(newest)}`;
}

function Run() {
  const { state, refresh } = useImport();
  const [since, setSince] = useState('');
  const [error, setError] = useState<ApiError>();
  const act = (work: Promise<ImportState>) => {
    setError(undefined);
    work.then(refresh, (failure: unknown) => setError(asApiError(failure)));
  };
  const isRunning = state?.state === 'running';
  const start = (event: SubmitEvent) => {
    event.preventDefault();
    act(ask('POST /import/history', { body: since === '' ? {} : { since } }));
  };
  return (
    <section class="panel" aria-label="Import">
      {isRunning ? (
        <>
          <Progress state={state} />
          <p class="buttons">
            <button
              type="button"
              class="button"
              onClick={() => act(ask('POST /import/cancel', { body: {} }))}
            >
              Stop
            </button>
          </p>
        </>
      ) : (
        <form class="import-form" onSubmit={start}>
          <Field label="Since (optional)" isDate value={since} onInput={setSince} />
          <button type="submit" class="button main">
            Import past sessions
          </button>
        </form>
      )}
      <div role="status">
        <Outcome state={state} />
      </div>
      {error && <Problem error={error} />}
    </section>
  );
}

function Progress({ state }: { readonly state: Extract<ImportState, { state: 'running' }> }) {
  const { progress } = state;
  const share = progress && progress.totalBytes > 0 ? progress.bytes / progress.totalBytes : 0;
  return (
    <>
      <p class="import-line">
        <span>
          {progress
            ? `${progress.done} of ${counted(progress.total, 'session')}${progress.agent ? ` · ${agentTitle(progress.agent)}` : ''}`
            : 'Reading the list of sessions…'}
        </span>
        <span class="soft number">{percent(share)}</span>
      </p>
      <div
        class="bar"
        role="progressbar"
        aria-label="Import"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      {progress && (
        <p class="soft small">
          {counted(progress.turns, 'turn')}, {counted(progress.memories, 'memory', 'memories')} so far
        </p>
      )}
    </>
  );
}

function Outcome({ state }: { readonly state: ImportState | undefined }) {
  if (state?.state === 'failed') return <p class="field-error">Import failed: {state.error}</p>;
  if (state?.state !== 'done') return null;
  const { report } = state;
  return (
    <>
      <p class="outcome">
        {report.cancelled ? 'Stopped. ' : 'Done. '}
        {counted(report.memories, 'memory', 'memories')} from {counted(report.turns, 'turn')} in{' '}
        {counted(report.sessions, 'session')} of {counted(report.projects, 'project')}.{' '}
        <a href={to.view('/projects')}>Show projects</a>
      </p>
      {report.skipped.length > 0 && (
        <details class="small">
          <summary>{counted(report.skipped.length, 'file')} skipped</summary>
          <ul>
            {report.skipped.map(({ path, reason }) => (
              <li key={path}>
                <code>{path}</code> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function useImport() {
  const live = importing.use();
  const isConnected = connection.use() === 'connected';
  const [asked, setAsked] = useState<ImportState>();
  const refresh = (state: ImportState) => {
    importing.set(() => state);
    setAsked(state);
  };
  const state = live ?? asked;
  useEffect(() => {
    const over = new AbortController();
    ask('GET /import', {}, over.signal).then(refresh, () => undefined);
    return () => over.abort();
  }, []);
  useEffect(() => {
    if (state?.state === 'done') memoriesChanged();
    if (state?.state !== 'running' || isConnected) return;
    const timer = setInterval(() => void ask('GET /import').then(refresh, () => undefined), POLL_MS);
    return () => clearInterval(timer);
  }, [state?.state, isConnected]);
  return { state, refresh };
}
