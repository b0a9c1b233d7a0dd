/**
 * Takes every past session in, newest first, the same way as a live one: same reader, same keeping, same ids. So it may
 * be interrupted and run again, beside live sessions, and never takes a turn twice.
 */
import { describeTranscript, listTranscripts, type FoundTranscript } from '../import/index.ts';
import type { Session } from '../model/index.ts';
import { placeFolder, type CaptureScope } from './place-event.ts';
import type { Pipeline } from './pipeline.ts';
import type { ResolvedProject } from './projects.ts';
import { closeSession, recordSession } from './sessions.ts';
import type { Stores } from './stores.ts';

/** A transcript written to this recently may belong to a session still running: its last turn is left to live capture. */
const STILL_RUNNING_MS = 5 * 60 * 1000;

export interface ImportOptions {
  readonly configDir: string;
  readonly project?: string;
  readonly since?: string;
  readonly dryRun: boolean;
  /** Nobody works in these sessions any more, however new their files are. */
  readonly finished: boolean;
  readonly scope: CaptureScope;
  readonly signal: AbortSignal;
}

export interface ImportProgress {
  readonly done: number;
  readonly total: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly turns: number;
  readonly memories: number;
}

export interface ImportReport extends ImportProgress {
  readonly sessions: number;
  readonly projects: number;
  readonly unfinished: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly cancelled: boolean;
}

export async function importHistory(
  stores: Stores,
  pipeline: Pipeline,
  options: ImportOptions,
  progress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const since = options.since ? Date.parse(options.since) : 0;
  const files = listTranscripts(options.configDir).filter((file) => file.modifiedAt.getTime() >= since);
  const totalBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const projects = new Set<string>();
  const skipped: { path: string; reason: string }[] = [];
  const count = { done: 0, bytes: 0, turns: 0, memories: 0, sessions: 0, unfinished: 0 };
  const report = () => ({ total: files.length, totalBytes, ...count });
  for (const file of files) {
    if (options.signal.aborted) break;
    const found = await describeTranscript(file);
    count.done++;
    count.bytes += file.bytes;
    if (!found) skipped.push({ path: file.path, reason: 'holds no conversation' });
    else {
      const taken = await takeSession(stores, pipeline, found, options);
      if (taken) {
        projects.add(taken.project);
        count.sessions++;
        count.turns += taken.turns;
        count.memories += taken.memories;
        count.unfinished += taken.unfinished;
      } else
        skipped.push({ path: file.path, reason: 'belongs to a project that is ignored or not asked for' });
    }
    progress(report());
  }
  return { ...report(), projects: projects.size, skipped, cancelled: options.signal.aborted };
}

async function takeSession(
  stores: Stores,
  pipeline: Pipeline,
  found: FoundTranscript,
  options: ImportOptions,
) {
  const placed = await placeFolder(stores, found.projectDir, found.startedAt, options.scope);
  if (placed.ignored || (options.project && options.project !== placed.project.id)) return undefined;
  if (options.dryRun) return { project: placed.project.id, turns: 0, memories: 0, unfinished: 0 };
  const running = !options.finished && Date.now() - found.modifiedAt.getTime() < STILL_RUNNING_MS;
  const session = stores.index.session(found.session) ?? (await addSession(stores, found, placed));
  const stopped = running ? {} : { stoppedAt: new Date().toISOString() };
  const captured = await pipeline.read(session, found.path, stopped);
  const subagents = await pipeline.readSubagents(session, found.subagents, stopped);
  const lastAt = stores.index.session(found.session)?.lastAt ?? found.startedAt;
  if (!running && session.status === 'active') {
    await closeSession(stores, session.id, { status: 'completed', at: lastAt, reason: 'imported' });
  }
  return {
    project: placed.project.id,
    turns: captured.turns + subagents.turns,
    memories: captured.memories.length + subagents.memories,
    unfinished: captured.unfinished,
  };
}

async function addSession(stores: Stores, found: FoundTranscript, placed: ResolvedProject): Promise<Session> {
  await recordSession(stores, {
    kind: 'session',
    at: found.startedAt,
    session: found.session,
    change: 'started',
    project: placed.project.id,
    agent: 'claude-code',
    status: 'active',
    transcript: found.path,
    worktree: placed.worktree ?? placed.root,
  });
  const session = stores.index.session(found.session);
  if (!session) throw new Error('a session that was just recorded is not there');
  return session;
}
