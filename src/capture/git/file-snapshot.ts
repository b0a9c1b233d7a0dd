/**
 * Records what a turn ended on: the hashes of its files and the commit. Hashes come from the work tree, for files that
 * were not written since; other files are left out, because an unknown file is never reported as stale.
 */
import { homedir } from 'node:os';
import { given, type Memory, projectFiles, type StoredTurn } from '../../core/index.ts';
import type { FileSnapshot } from '../../database/index.ts';
import { FileStates, GONE } from './file-states.ts';
import { headAround, headCommit } from './head.ts';
import { findRepository } from './repository.ts';

/** A formatter or hook at the end of the turn may still write. */
const SETTLES_MS = 5_000;
/** Without a log of HEAD, the current commit is used for turns that ended within this time. */
const MOMENT_MS = 60_000;
/** A turn that touched more files changed the whole tree and is not about any of them. */
const MOST_FILES = 40;

const states = new FileStates();

/** The turn, its session and project, and when it ended. */
export type SnapshotSource = Omit<FileSnapshot, 'files' | 'head'>;

/** Returns undefined where nothing is known. */
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
  return { turn, session, project, at, ...given({ branch, head }), files };
}

/** Files that memories of the turn name, then those it edited and read: a model may name these later. */
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

export function snapshotSourceOf({ id, session, project, endedAt, branch }: StoredTurn): SnapshotSource {
  return { turn: id, session, project, at: endedAt, ...given({ branch }) };
}
