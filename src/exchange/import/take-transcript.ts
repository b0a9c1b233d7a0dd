/** Imports one past session with its subagents, with the same reader, storage and ids as a live session. */
import { readerOf, transcriptState, type FoundTranscript, type SessionFile } from '../../agents/index.ts';
import {
  type Captured,
  lookUpProject,
  projectOfFolder,
  type CaptureScope,
  completeFileSnapshots,
  type Pipeline,
  type ResolvedProject,
} from '../../capture/index.ts';
import type { Agent, Session } from '../../core/index.ts';
import { closeSession, IMPORTED, recordSession, type Stores } from '../../memory/index.ts';

/** A transcript changed this recently may belong to a running session: its last turn is left to live capture. */
const STILL_RUNNING_MS = 5 * 60 * 1000;
export const NOT_SELECTED = 'in a project that is ignored or not selected';

export interface TakeOptions {
  readonly project?: string;
  readonly dryRun: boolean;
  readonly scope: CaptureScope;
  readonly signal: AbortSignal;
  /** The sessions have ended, no matter how new their files are. */
  readonly finished?: boolean;
  /** Cache of a dry run, which stores nothing about a folder. */
  readonly folders?: Map<string, Promise<ResolvedProject>>;
}

/** Counts of one session, summed in the report. */
export interface TurnCounts {
  /** New turns. */
  readonly turns: number;
  readonly memories: number;
  /** Turns of the sessions read, new ones and known ones. */
  readonly found: number;
  /** New turns that the user stopped. */
  readonly interrupted: number;
  /** New turns of subagents. */
  readonly subagents: number;
  /** Texts of the client itself: output of its commands, feedback of hooks. */
  readonly system: number;
  readonly unfinished: number;
}

export const NO_TURNS: TurnCounts = {
  turns: 0,
  memories: 0,
  found: 0,
  interrupted: 0,
  subagents: 0,
  system: 0,
  unfinished: 0,
};

export interface TakenSession extends TurnCounts {
  readonly project: string;
  readonly projectName: string;
  readonly problems: readonly { readonly path: string; readonly line?: number; readonly reason: string }[];
}

/** Returns a reason if the file is no transcript, cannot be read or is not selected. */
export async function takeTranscript(
  stores: Stores,
  pipeline: Pipeline,
  { agent, ...file }: SessionFile,
  options: TakeOptions,
): Promise<TakenSession | string> {
  const found = await readerOf(agent).describe(file);
  if (typeof found === 'string') return found;
  const placed = options.dryRun
    ? await lookedUp(found.projectDir)
    : await projectOfFolder(stores, found.projectDir, found.startedAt, options.scope);
  if (placed.ignored || (options.project && options.project !== placed.project.id)) return NOT_SELECTED;
  const nothing = {
    project: placed.project.id,
    projectName: placed.project.name,
    ...NO_TURNS,
    problems: [],
  };
  if (options.dryRun) return nothing;
  try {
    return await take(stores, pipeline, agent, found, placed, options);
  } catch (error) {
    if (options.signal.aborted) return nothing;
    return error instanceof Error ? error.message : String(error);
  }

  function lookedUp(dir: string): Promise<ResolvedProject> {
    const known = options.folders?.get(dir) ?? lookUpProject(stores, dir, options.scope);
    options.folders?.set(dir, known);
    return known;
  }
}

async function take(
  stores: Stores,
  pipeline: Pipeline,
  agent: Agent,
  found: FoundTranscript,
  placed: ResolvedProject,
  { signal, finished = false }: TakeOptions,
): Promise<TakenSession> {
  // The file may have changed since it was listed.
  const changedAt = transcriptState(agent, found.path)?.mtime ?? found.modifiedAt.getTime();
  const running = !finished && Date.now() - changedAt < STILL_RUNNING_MS;
  const session = stores.index.session(found.session) ?? (await addSession(stores, agent, found, placed));
  const extra = { signal, ...(running ? {} : { stoppedAt: new Date().toISOString() }) };
  const before = stores.index.turnsIn(session.id).length;
  const captured = await pipeline.read(session, found.path, extra);
  const subagents: Captured[] = [];
  const problems: { path: string; line?: number; reason: string }[] = [];
  for (const path of found.subagents) {
    try {
      subagents.push(await pipeline.readSubagent(session, path, extra));
    } catch (error) {
      if (signal.aborted) throw error;
      problems.push({ path, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  if (captured.turns > 0) await completeFileSnapshots(stores, session.id, placed.root);
  const lastAt = stores.index.session(found.session)?.lastAt ?? found.startedAt;
  if (!running && session.status === 'active') {
    await closeSession(stores, session.id, { status: 'completed', at: lastAt, reason: 'imported' });
  }
  const all = [captured, ...subagents];
  const sum = (pick: (one: Captured) => number): number => all.reduce((total, one) => total + pick(one), 0);
  const turns = sum((one) => one.turns);
  return {
    project: placed.project.id,
    projectName: placed.project.name,
    turns,
    memories: sum(({ memories }) => memories.length),
    // Reading continues after the last known turn; the turns before it were found by an earlier import.
    found: Math.max(
      sum((one) => one.found),
      before + turns,
    ),
    interrupted: sum((one) => one.interrupted),
    subagents: subagents.reduce((total, one) => total + one.turns, 0),
    system: sum((one) => one.system),
    unfinished: captured.unfinished,
    problems: [
      ...captured.problems.map((problem) => ({ ...problem, path: found.path })),
      ...subagents.flatMap((one, i) =>
        one.problems.map((problem) => ({ ...problem, path: found.subagents[i] ?? found.path })),
      ),
      ...problems,
    ],
  };
}

async function addSession(
  stores: Stores,
  agent: Agent,
  found: FoundTranscript,
  placed: ResolvedProject,
): Promise<Session> {
  await recordSession(stores, {
    kind: 'session',
    at: found.startedAt,
    session: found.session,
    change: 'started',
    project: placed.project.id,
    agent,
    status: 'active',
    source: IMPORTED,
    transcript: found.path,
    worktree: placed.worktree ?? placed.root,
    ...(found.branch ? { branch: found.branch } : {}),
  });
  const session = stores.index.session(found.session);
  if (!session) throw new Error('a session that was just recorded is missing');
  return session;
}
