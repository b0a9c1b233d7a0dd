/**
 * Finds the transcripts of subagents. Each is a file of its own beside the main one, in the folder of the day it was
 * started, and names the session it belongs to. Its turns name the user's turn they work for.
 */
import { dirname, join } from 'node:path';
import { entriesOf } from '../../reading/listing.ts';
import type { Subagent } from '../../transcript.ts';
import { readHead, type FileHead } from './head.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const THREAD = /-([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/;
/** A session that is used for longer loses only the subagents after that. */
const MOST_DAYS = 60;

/** Empty for a file that cannot be read, and for a subagent's own. */
export async function subagentsOf(transcriptPath: string): Promise<readonly Subagent[]> {
  const head = headOf(transcriptPath);
  if (!head || head.isSubagent) return [];
  const paths = await subagentFiles(transcriptPath, head);
  return paths.map((path) => ({ id: THREAD.exec(path)?.[1] ?? path, path }));
}

/** `main`: the head of the main transcript. A subagent is started after its session. */
export async function subagentFiles(transcriptPath: string, main: FileHead): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, thread } of filesFrom(transcriptPath, main.thread, Date.now())) {
    if (thread <= main.thread) continue; // ids sort by time
    const head = headOf(path);
    if (head?.isSubagent && head.session === main.session) found.push(path);
  }
  return found;
}

/** The transcript of the session that a subagent's file belongs to. */
export function mainOf(subagentPath: string): string | undefined {
  const session = headOf(subagentPath)?.session;
  if (session === undefined) return undefined;
  const until = timeOf(THREAD.exec(subagentPath)?.[1] ?? '') ?? Date.now();
  return filesFrom(subagentPath, session, until).find(({ thread }) => thread === session)?.path;
}

interface Listed {
  readonly path: string;
  readonly thread: string;
}

/** Files of the days from the thread's start on. The folders' days are local, so one more on each side is listed. */
function filesFrom(beside: string, thread: string, until: number): readonly Listed[] {
  const folders = new Set([dirname(beside)]);
  const root = dirname(dirname(dirname(dirname(beside))));
  const start = timeOf(thread);
  for (let day = 0; start !== undefined && day < MOST_DAYS; day++) {
    const at = start + (day - 1) * DAY_MS;
    if (at > until + DAY_MS) break;
    const [year = '', month = '', date = ''] = new Date(at).toISOString().slice(0, 10).split('-');
    folders.add(join(root, year, month, date));
  }
  return [...folders].flatMap((folder) =>
    entriesOf(folder).flatMap((entry) => {
      const id = entry.isFile() ? THREAD.exec(entry.name)?.[1] : undefined;
      return id === undefined ? [] : [{ path: join(folder, entry.name), thread: id }];
    }),
  );
}

/** The time in a UUID of version 7; undefined for another one. */
function timeOf(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

/** The first line of a file never changes, and an import looks at every file once per session that is older. */
const heads = new Map<string, FileHead>();
/** A head is a few short texts: two megabytes at most. */
const MOST_HEADS = 10_000;

function headOf(path: string): FileHead | undefined {
  const known = heads.get(path);
  if (known) return known;
  try {
    const head = readHead(path);
    if (heads.size >= MOST_HEADS) heads.clear();
    if (head) heads.set(path, head);
    return head;
  } catch {
    return undefined;
  }
}
