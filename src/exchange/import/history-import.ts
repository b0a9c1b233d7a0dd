/**
 * Imports past sessions, newest first, with the same reader, storage and ids as a live session. So it can be interrupted
 * and repeated, also beside live sessions, and never stores a turn twice.
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { NO_CONVERSATION, readerOf, type FoundTranscript } from '../../agents/index.ts';
import {
  type Captured,
  lookUpProject,
  projectOfFolder,
  type CaptureScope,
  completeFileSnapshots,
  type Pipeline,
  type ResolvedProject,
} from '../../capture/index.ts';
import { FIRST_AGENT, type Session } from '../../core/index.ts';
import { closeSession, IMPORTED, recordSession, type Stores } from '../../memory/index.ts';

/** A transcript changed this recently may belong to a running session: its last turn is left to live capture. */
const STILL_RUNNING_MS = 5 * 60 * 1000;
/** Skipped files named in the report. */
const MOST_SKIPPED = 200;
const NOT_SELECTED = 'in a project that is ignored or not selected';

interface TakeOptions {
  readonly project?: string;
  readonly dryRun: boolean;
  readonly scope: CaptureScope;
  readonly signal: AbortSignal;
}

interface ImportOptions extends TakeOptions {
  readonly configDir: string;
  readonly since?: string;
  /** Imports only sessions whose id begins with this. */
  readonly session?: string;
  /** The sessions have ended, no matter how new their files are. */
  readonly finished: boolean;
}

export interface ImportProgress {
  readonly done: number;
  readonly total: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly turns: number;
  readonly memories: number;
}

export interface SkippedFile {
  readonly path: string;
  readonly line?: number;
  readonly reason: string;
  /** The file should have been readable; otherwise it is no transcript or was not selected. */
  readonly damaged: boolean;
}

/** Counts of one session, summed in the report. */
interface TurnCounts {
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

export interface ImportReport extends ImportProgress, TurnCounts {
  readonly sessions: number;
  readonly projects: number;
  /** Sessions that are new or have grown since they were last read, and their size. */
  readonly unread: number;
  readonly unreadBytes: number;
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
  const { session = '' } = options;
  const since = options.since ? Date.parse(options.since) : 0;
  const listed = readerOf(FIRST_AGENT).find(options.configDir);
  const files = listed.files.filter(
    // The file name of a transcript is the session id.
    ({ path, modifiedAt }) => modifiedAt.getTime() >= since && basename(path).startsWith(session),
  );
  const totalBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const projects = new Set<string>();
  const skipped: SkippedFile[] = [];
  const count = { ...NO_TURNS, done: 0, bytes: 0, sessions: 0, skippedCount: 0, unread: 0, unreadBytes: 0 };
  const readTo = new Map(stores.index.transcripts().map(({ path, size }) => [path, size]));
  const folders = new Map<string, Promise<ResolvedProject>>();
  const skip = (file: SkippedFile): void => {
    count.skippedCount++;
    if (skipped.length < MOST_SKIPPED) skipped.push(file);
  };
  for (const { path, reason } of listed.refused) skip({ path, reason, damaged: reason !== 'empty' });
  const report = () => ({ total: files.length, totalBytes, ...count });
  for (const file of files) {
    if (options.signal.aborted) break;
    const taken = await takeTranscript(stores, pipeline, file.path, { ...options, folders });
    count.done++;
    count.bytes += file.bytes;
    if (typeof taken === 'string')
      skip({
        path: file.path,
        reason: taken,
        damaged: taken !== NO_CONVERSATION && taken !== NOT_SELECTED,
      });
    else {
      projects.add(taken.project);
      count.sessions++;
      if (readTo.get(file.path) !== file.bytes) {
        count.unread++;
        count.unreadBytes += file.bytes;
      }
      for (const key of Object.keys(NO_TURNS) as (keyof TurnCounts)[]) count[key] += taken[key];
      for (const problem of taken.problems) skip({ ...problem, damaged: true });
    }
    progress(report());
  }
  return { ...report(), projects: projects.size, skipped, cancelled: options.signal.aborted };
}

interface TakenSession extends TurnCounts {
  readonly project: string;
  readonly projectName: string;
  readonly problems: readonly { readonly path: string; readonly line?: number; readonly reason: string }[];
}

const NO_TURNS = {
  turns: 0,
  memories: 0,
  found: 0,
  interrupted: 0,
  subagents: 0,
  system: 0,
  unfinished: 0,
};

/** Imports one transcript with its subagents; returns a reason if it is none, cannot be read or is not selected. */
export async function takeTranscript(
  stores: Stores,
  pipeline: Pipeline,
  path: string,
  options: TakeOptions & {
    readonly finished?: boolean;
    /** Cache of a dry run, which stores nothing about a folder. */
    readonly folders?: Map<string, Promise<ResolvedProject>>;
  },
): Promise<TakenSession | string> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return 'not a regular file';
  const found = await readerOf(FIRST_AGENT).describe({ path, bytes: stat.size, modifiedAt: stat.mtime });
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
    return await take(stores, pipeline, found, placed, options);
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
  found: FoundTranscript,
  placed: ResolvedProject,
  { signal, finished = false }: TakeOptions & { readonly finished?: boolean },
): Promise<TakenSession> {
  const running = !finished && Date.now() - found.modifiedAt.getTime() < STILL_RUNNING_MS;
  const session = stores.index.session(found.session) ?? (await addSession(stores, found, placed));
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

async function addSession(stores: Stores, found: FoundTranscript, placed: ResolvedProject): Promise<Session> {
  await recordSession(stores, {
    kind: 'session',
    at: found.startedAt,
    session: found.session,
    change: 'started',
    project: placed.project.id,
    agent: FIRST_AGENT,
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
