/**
 * What a turn ended on: the files it spoke of as they were then, and the commit. Told by the work tree where a file has
 * not been written to since; what cannot be told is left out, for unknown is never stale.
 */
import { homedir } from 'node:os';
import { given, type Memory, type StoredTurn } from '../../core/index.ts';
import type { FileSnapshot } from '../../database/index.ts';
import { projectFiles } from '../../distill/index.ts';
import { FileStates, GONE } from './file-states.ts';
import { headAround, headCommit } from './head.ts';
import { findRepository } from './repository.ts';

/** What a session's last formatter or hook still writes belongs to the turn. */
const SETTLES_MS = 5_000;
/** Without a log of HEAD, what it is now is what it was a moment ago. */
const MOMENT_MS = 60_000;
/** A turn that touched more was a sweep through the tree, and speaks of none of them. */
const MOST_FILES = 40;

const states = new FileStates();

/** What something was said in, and when that was over. */
export type SnapshotSource = Omit<FileSnapshot, 'files' | 'head'>;

/** Undefined where nothing is known. */
export function fileSnapshotOf(
  source: SnapshotSource,
  paths: readonly string[],
  root: string | undefined,
  now: Date,
): FileSnapshot | undefined {
  if (root === undefined) return undefined;
  const { turn, session, project, at, branch } = source;
  const endedAt = Date.parse(at);
  const files: Record<string, string> = {};
  for (const path of paths) {
    const state = states.look(root, path);
    if (!state || state.blob === GONE || state.modifiedAt > endedAt + SETTLES_MS) continue;
    files[path] = state.blob;
  }
  const head = headOf(root, endedAt, now);
  if (Object.keys(files).length === 0 && head === undefined && branch === undefined) return undefined;
  return {
    turn,
    session,
    project,
    at,
    ...given({ branch, head }),
    files,
  };
}

/** What memories of the turn name first, then what it edited and read: a model may name those later. */
export function filesOf(
  turn: StoredTurn,
  memories: readonly Pick<Memory, 'files'>[],
  root: string | undefined,
): readonly string[] {
  const touched = turn.tools.flatMap(({ edited, read }) => [...edited, ...read]);
  const named = memories.flatMap(({ files }) => files);
  return [...new Set([...named, ...projectFiles(touched, turn, root)])].slice(0, MOST_FILES);
}

function headOf(root: string, at: number, now: Date): string | undefined {
  const repository = findRepository(root, homedir());
  if (!repository) return undefined;
  const logged = headAround(repository, at)?.head;
  return logged ?? (now.getTime() - at <= MOMENT_MS ? headCommit(repository) : undefined);
}

/** A turn as the ground of its memories. */
export function snapshotSourceOf({ id, session, project, endedAt, branch }: StoredTurn): SnapshotSource {
  return { turn: id, session, project, at: endedAt, ...given({ branch }) };
}
