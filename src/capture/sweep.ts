/**
 * Captures what no hook reported: transcripts that grew after a killed terminal, turns that take long, clients that were
 * killed, sessions that never ended.
 * Runs when the daemon starts and every minute after.
 */
import { readerOf, transcriptStamp, type TranscriptState } from '../agents/index.ts';
import { TidemarkError, type Agent } from '../core/index.ts';
import type { TranscriptMark } from '../database/index.ts';
import { isRefused } from '../files/index.ts';
import { closeSession, IMPORTED, INTERRUPTED_AFTER_MS, type Stores } from '../memory/index.ts';
import { isClientGone } from './clients.ts';
import type { Pipeline } from './pipeline.ts';
import type { UnfinishedReads } from './unfinished-reads.ts';

/** From this age on an unfinished turn is stored: what the user said in it counts, whether or not the turn ends. */
const OPEN_AFTER_MS = 3 * 60 * 1000;
/** A killed terminal sends no event; a transcript that is unchanged for this long was abandoned. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

type Stamp = Pick<TranscriptState, 'size' | 'mtime'>;

export interface Swept {
  readonly read: number;
  readonly closed: number;
}

export interface SweepOptions {
  readonly now: Date;
  readonly reads: Pick<UnfinishedReads, 'read'>;
  /** Called with a transcript that cannot be read; the others are still read. */
  readonly onProblem: (path: string, error: unknown) => void;
}

export async function sweep(
  stores: Stores,
  pipeline: Pipeline,
  { now, reads, onProblem }: SweepOptions,
): Promise<Swept> {
  let read = 0;
  const openBefore = new Date(now.getTime() - OPEN_AFTER_MS).toISOString();
  const readOne = async (path: string, state: Stamp, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      return await reads.read(path, `${state.size} ${state.mtime}`, work);
    } catch (error) {
      if (!isRefused(error) && !isUnreadable(error)) throw error;
      onProblem(path, error);
      return true;
    }
  };
  const stateOf = (agent: Agent, path: string): Stamp | 'unreadable' | undefined => {
    try {
      return transcriptStamp(agent, path);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      onProblem(path, error);
      return 'unreadable';
    }
  };
  for (const mark of [...stores.index.transcripts(), ...unread(stores)]) {
    const session = stores.index.session(mark.session);
    const state = session && stateOf(session.agent, mark.path);
    if (!state || state === 'unreadable') continue;
    const abandoned = session.status === 'active' && now.getTime() - state.mtime > ABANDONED_AFTER_MS;
    const grown = state.size !== mark.size || state.mtime !== mark.mtime;
    const takesLong = session.status === 'active' && pipeline.hasOpenTurn(mark.path, openBefore);
    if (!grown && !abandoned && !takesLong) continue;
    const stopped = { openBefore, ...(abandoned ? { stoppedAt: new Date(state.mtime).toISOString() } : {}) };
    const work = async (): Promise<void> => {
      await pipeline.read(session, mark.path, stopped);
      const subagents = abandoned ? await readerOf(session.agent).subagentsOf(mark.path) : [];
      for (const { path } of subagents) await pipeline.readSubagent(session, path, stopped);
    };
    if (await readOne(mark.path, state, work)) read++;
  }
  let closed = 0;
  for (const session of stores.index.sessions({ status: 'active', limit: Number.MAX_SAFE_INTEGER })) {
    const { transcript } = session;
    const state = transcript === undefined ? undefined : stateOf(session.agent, transcript);
    if (state === 'unreadable') continue;
    if (session.source !== IMPORTED && isClientGone(stores.index, session.id)) {
      const end = (): Promise<void> => pipeline.endKilled(session, now.toISOString());
      if (transcript === undefined || !state) await end();
      else if (!(await readOne(transcript, state, end))) continue;
      closed++;
      continue;
    }
    if (!state) await pipeline.storeUnanswered(session, openBefore);
    if (now.getTime() - Date.parse(session.lastAt) < INTERRUPTED_AFTER_MS) continue;
    if (transcript !== undefined && state) {
      const stopped = { stoppedAt: now.toISOString() };
      // A session whose transcript is not read stays open.
      if (!(await readOne(transcript, state, () => pipeline.read(session, transcript, stopped)))) continue;
    } else await pipeline.storeNoted(session);
    const at = stores.index.session(session.id)?.lastAt ?? session.lastAt;
    // An interrupted import ends its session as the finished import would have.
    if (session.source === IMPORTED)
      await closeSession(stores, session.id, { status: 'completed', at, reason: 'imported' });
    else await closeSession(stores, session.id, { status: 'interrupted', at });
    closed++;
  }
  return { read, closed };
}

/** Transcripts of clients killed in their first turn: the session is known, the file did not exist at that time. */
function unread(stores: Stores): readonly Pick<TranscriptMark, 'path' | 'session' | 'size' | 'mtime'>[] {
  const active = stores.index.sessions({ status: 'active', limit: Number.MAX_SAFE_INTEGER });
  return active.flatMap(({ id: session, transcript: path }) =>
    path === undefined || stores.index.transcript(path) ? [] : [{ path, session, size: -1, mtime: 0 }],
  );
}

function isUnreadable(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === 'transcript-unreadable';
}
