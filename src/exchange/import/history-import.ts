/**
 * Imports past sessions of all agents, newest first, with the same reader, storage and ids as a live session. So it can be
 * interrupted and repeated, also beside live sessions, and never stores a turn twice.
 */
import { basename } from 'node:path';
import {
  CODING_AGENTS,
  findSessions,
  NO_CONVERSATION,
  readerOf,
  transcriptState,
  UNKNOWN_FOLDER,
  type SessionFile,
  type SessionSource,
} from '../../agents/index.ts';
import type { Pipeline, ResolvedProject } from '../../capture/index.ts';
import type { Agent } from '../../core/index.ts';
import type { Stores } from '../../memory/index.ts';
import {
  NO_TURNS,
  NOT_SELECTED,
  takeTranscript,
  type TakeOptions,
  type TurnCounts,
} from './take-transcript.ts';

/** Skipped files named in the report. */
const MOST_SKIPPED = 200;
/** The days whose sessions are most useful. Progress says when they are read. */
const RECENT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Reasons that are no fault of the file. */
const EXPECTED: readonly string[] = [NO_CONVERSATION, UNKNOWN_FOLDER, NOT_SELECTED];
/** Part of a session's id that the paths of all clients contain. */
const ID_START = 8;

interface ImportOptions extends TakeOptions {
  readonly sources: readonly SessionSource[];
  readonly since?: string;
  /** Imports only sessions whose id begins with this. */
  readonly session?: string;
}

export interface ImportProgress {
  readonly done: number;
  readonly total: number;
  /** Sessions of the last 30 days; they are read first. */
  readonly recent: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly turns: number;
  readonly memories: number;
  /** The agent of the session that was read last. */
  readonly agent?: Agent;
}

export interface SkippedFile {
  readonly path: string;
  readonly line?: number;
  readonly reason: string;
  /** The file should have been readable; otherwise it is no transcript or was not selected. */
  readonly damaged: boolean;
}

/** The sessions of one agent. */
export interface AgentCounts {
  readonly agent: Agent;
  readonly sessions: number;
  readonly bytes: number;
  /** Sessions that are new or have grown since they were last read, and their size. */
  readonly unread: number;
  readonly unreadBytes: number;
  readonly turns: number;
  readonly memories: number;
}

export interface ImportReport extends ImportProgress, TurnCounts {
  readonly sessions: number;
  readonly projects: number;
  /** Sessions that are new or have grown since they were last read, and their size. */
  readonly unread: number;
  readonly unreadBytes: number;
  /** Agents with sessions, in the order in which users see them. */
  readonly agents: readonly AgentCounts[];
  /** The first skipped files; `skippedCount` is complete. */
  readonly skipped: readonly SkippedFile[];
  readonly skippedCount: number;
  readonly cancelled: boolean;
}

export async function importHistory(
  stores: Stores,
  pipeline: Pipeline,
  options: ImportOptions,
  progress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const listed = findSessions(options.sources);
  const files = await wanted(listed.files, options);
  const recentSince = Date.now() - RECENT_DAYS * DAY_MS;
  const total = {
    total: files.length,
    totalBytes: files.reduce((sum, file) => sum + file.bytes, 0),
    recent: files.filter(({ modifiedAt }) => modifiedAt.getTime() >= recentSince).length,
  };
  const projects = new Set<string>();
  const agents = new Map<Agent, AgentCounts>();
  const skipped: SkippedFile[] = [];
  const count = { ...NO_TURNS, done: 0, bytes: 0, skippedCount: 0 };
  const readTo = new Map(stores.index.transcripts().map(({ path, size }) => [path, size]));
  const folders = new Map<string, Promise<ResolvedProject>>();
  const skip = (file: SkippedFile): void => {
    count.skippedCount++;
    if (skipped.length < MOST_SKIPPED) skipped.push(file);
  };
  for (const { path, reason } of listed.refused) skip({ path, reason, damaged: reason !== 'empty' });
  for (const file of files) {
    if (options.signal.aborted) break;
    const { path, agent, bytes } = file;
    const taken = await takeTranscript(stores, pipeline, file, { ...options, folders });
    count.done++;
    count.bytes += bytes;
    if (typeof taken === 'string') skip({ path, reason: taken, damaged: !EXPECTED.includes(taken) });
    else {
      projects.add(taken.project);
      const isUnread = readTo.get(path) !== transcriptState(agent, path)?.size;
      agents.set(agent, added(agents.get(agent), { agent, bytes, isUnread, ...taken }));
      for (const key of Object.keys(NO_TURNS) as (keyof TurnCounts)[]) count[key] += taken[key];
      for (const problem of taken.problems) skip({ ...problem, damaged: true });
    }
    progress({ ...total, ...count, agent });
  }
  const byAgent = CODING_AGENTS.flatMap(({ id }) => agents.get(id) ?? []);
  const sum = (key: 'sessions' | 'unread' | 'unreadBytes'): number =>
    byAgent.reduce((all, one) => all + one[key], 0);
  return {
    ...total,
    ...count,
    sessions: sum('sessions'),
    unread: sum('unread'),
    unreadBytes: sum('unreadBytes'),
    projects: projects.size,
    agents: byAgent,
    skipped,
    cancelled: options.signal.aborted,
  };
}

/** The sessions that changed since a day, or the one that is asked for. */
async function wanted(
  files: readonly SessionFile[],
  { since, session }: ImportOptions,
): Promise<readonly SessionFile[]> {
  const after = since ? Date.parse(since) : 0;
  const changed = files.filter(({ modifiedAt }) => modifiedAt.getTime() >= after);
  if (!session) return changed;
  const isOf = await Promise.all(changed.map((file) => isSession(file, session)));
  return changed.filter((_, i) => isOf[i]);
}

/** Most file names are the id or end with it; some have only its beginning. */
async function isSession({ agent, ...file }: SessionFile, session: string): Promise<boolean> {
  if (basename(file.path).startsWith(session)) return true;
  if (!file.path.includes(session.slice(0, ID_START))) return false;
  const found = await readerOf(agent).describe(file);
  return typeof found !== 'string' && found.session.startsWith(session);
}

function added(
  before: AgentCounts | undefined,
  one: Pick<AgentCounts, 'agent' | 'bytes' | 'turns' | 'memories'> & { readonly isUnread: boolean },
): AgentCounts {
  const sum = before ?? { sessions: 0, bytes: 0, unread: 0, unreadBytes: 0, turns: 0, memories: 0 };
  return {
    agent: one.agent,
    sessions: sum.sessions + 1,
    bytes: sum.bytes + one.bytes,
    unread: sum.unread + (one.isUnread ? 1 : 0),
    unreadBytes: sum.unreadBytes + (one.isUnread ? one.bytes : 0),
    turns: sum.turns + one.turns,
    memories: sum.memories + one.memories,
  };
}
