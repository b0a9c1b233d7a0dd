/**
 * Which project a folder belongs to: the same across worktrees, clones, renames and moves. Reads a few small files
 * and starts no process; `rootCommit` does, and is for later. Saves nothing: the caller stores what `save` lists.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isIgnored } from '../../config/index.ts';
import type { Project } from '../../core/index.ts';
import { askGit } from '../git/git-process.ts';
import { findRepository } from '../git/repository.ts';
import { gatherEvidence, inodeKeyOf, type Evidence } from './evidence.ts';
import { newProject, withEvidence, withoutKeys } from './project.ts';

/** A file of this name in a project's root or start folder: nothing is remembered there. */
export const IGNORE_FILE = '.tidemark-ignore';

export interface KnownProjects {
  byKey(key: string): Project | undefined;
}

export interface ResolveOptions {
  readonly userHome: string;
  /** `capture.ignore` */
  readonly ignore?: readonly string[];
  /** From `rootCommit`, when there was time to ask. */
  readonly rootCommit?: string;
}

export interface ResolvedProject {
  readonly project: Project;
  readonly isNew: boolean;
  /** What changed and is to be stored, in one transaction: the project, and projects that lost a key to it. */
  readonly save: readonly Project[];
  /** The work tree, or the folder itself outside of repositories. Files are named relative to it. */
  readonly root: string;
  readonly branch?: string;
  /** The root again, when it is a linked work tree. */
  readonly worktree?: string;
  readonly ignored: boolean;
  /**
   * True when `rootCommit` would tell more: ask it off the hot path and resolve again before memories are written
   * (and before a new project is saved, or a clone of a repository known by its first commit alone stays apart).
   */
  readonly wantsRootCommit: boolean;
}

export function resolveProject(dir: string, known: KnownProjects, options: ResolveOptions): ResolvedProject {
  const evidence = gatherEvidence(dir, options.userHome, options.rootCommit);
  const match = findMatch(evidence, known);
  const holders = new Map(
    evidence.placeKeys
      .map((key) => known.byKey(key))
      .filter((holder) => holder !== undefined && holder.id !== match?.id)
      .map((holder) => [holder?.id ?? '', holder as Project]),
  );
  const free = (key: string) => {
    const holder = known.byKey(key);
    return holder === undefined || holder.id === match?.id;
  };
  const project = match
    ? withEvidence(match, evidence, free)
    : newProject(evidence, free, [...holders.keys()]);
  const losers = [...holders.values()].map((holder) => withoutKeys(holder, evidence.placeKeys));
  const changed = match === undefined || JSON.stringify(match) !== JSON.stringify(project);
  return {
    project,
    isNew: match === undefined,
    save: [...(changed ? [project] : []), ...losers],
    root: evidence.root,
    ...(evidence.branch !== undefined && { branch: evidence.branch }),
    ...(evidence.worktree !== undefined && { worktree: evidence.worktree }),
    ignored: optedOut(dir, evidence, options),
    wantsRootCommit:
      evidence.gitKey !== undefined &&
      evidence.rootKey === undefined &&
      !(match && isSettled(match, evidence)),
  };
}

/** Longer than any history seen takes without a commit graph; it runs beside the work, nobody waits for it. */
const ROOT_COMMIT_TIMEOUT_MS = 15_000;

/** The oldest commit without a parent; nothing for an empty or shallow repository, without git, or out of time. */
export async function rootCommit(
  dir: string,
  userHome: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const repository = existsSync(dir) ? findRepository(dir, userHome) : undefined;
  if (repository === undefined || repository.shallow || signal.aborted) return undefined;
  const args = ['rev-list', '--max-parents=0', 'HEAD'];
  const { root } = repository;
  const answer = await askGit({ root, args, timeoutMs: ROOT_COMMIT_TIMEOUT_MS, signal });
  const oldest = answer?.trim().split('\n').at(-1) ?? '';
  return /^[0-9a-f]{40,64}$/.test(oldest) ? oldest : undefined;
}

function findMatch(evidence: Evidence, known: KnownProjects): Project | undefined {
  const byRemote = evidence.remoteKey === undefined ? undefined : known.byKey(evidence.remoteKey);
  if (byRemote) return byRemote;
  for (const key of evidence.placeKeys) {
    const candidate = known.byKey(key);
    if (candidate && isStillHere(candidate, evidence)) return candidate;
  }
  const source = evidence.sourceKey === undefined ? undefined : known.byKey(evidence.sourceKey);
  if (source && !rootsDiffer(source, evidence)) return source;
  const byRoot = evidence.rootKey === undefined ? undefined : known.byKey(evidence.rootKey);
  // A fork shares its first commit with upstream, and is another project.
  return byRoot && !remotesDiffer(byRoot, evidence) ? byRoot : undefined;
}

/** Is the project known by this place the one that is there now, or did another take its place? */
function isStillHere(project: Project, evidence: Evidence): boolean {
  const sameFolder = isSameFolder(project, evidence);
  // History may be rewritten or begun anew in the folder where the project lives.
  if (rootsDiffer(project, evidence)) return sameFolder === true && !remotesDiffer(project, evidence);
  if (evidence.rootKey !== undefined && keysOf(project, 'root:').length > 0) return true;
  if (remotesDiffer(project, evidence)) return sameFolder === true;
  if (sameFolder === false && movedAway(project, evidence)) return false;
  const hasRemote = evidence.remoteKey !== undefined || keysOf(project, 'remote:').length > 0;
  // Without a remote the path alone counts: a disk that was copied changes every inode.
  return !hasRemote || sameFolder !== false;
}

/** Undefined when nothing is known. The device number is left out: it may change when the machine restarts. */
function isSameFolder(project: Project, evidence: Evidence): boolean | undefined {
  const seen = keysOf(project, 'inode:').map(withoutDevice);
  if (seen.length === 0 || evidence.inodeKey === undefined) return undefined;
  return seen.includes(withoutDevice(evidence.inodeKey));
}

/** Its own folder is there under another path, so the one at this path is new. */
function movedAway(project: Project, evidence: Evidence): boolean {
  const own = keysOf(project, 'inode:');
  return project.paths.some((path) => path !== evidence.root && own.includes(inodeKeyOf(path) ?? ''));
}

function withoutDevice(inodeKey: string): string {
  return inodeKey.slice(inodeKey.indexOf('-') + 1);
}

function remotesDiffer(project: Project, evidence: Evidence): boolean {
  const remotes = keysOf(project, 'remote:');
  return evidence.remoteKey !== undefined && remotes.length > 0 && !remotes.includes(evidence.remoteKey);
}

function rootsDiffer(project: Project, evidence: Evidence): boolean {
  const roots = keysOf(project, 'root:');
  return evidence.rootKey !== undefined && roots.length > 0 && !roots.includes(evidence.rootKey);
}

/** A fork never gets the first commit it shares as a key, so a remote has to do: else git would be asked each time. */
function isSettled(project: Project, evidence: Evidence): boolean {
  const known = keysOf(project, 'root:').length > 0 || keysOf(project, 'remote:').length > 0;
  return known && isSameFolder(project, evidence) === true;
}

function keysOf(project: Project, prefix: string): readonly string[] {
  return project.keys.filter((key) => key.startsWith(prefix));
}

function optedOut(dir: string, evidence: Evidence, options: ResolveOptions): boolean {
  const folders = [...new Set([dir, evidence.dir, evidence.root, evidence.main])];
  const ignore = options.ignore ?? [];
  return folders.some(
    (folder) => existsSync(join(folder, IGNORE_FILE)) || isIgnored(folder, ignore, options.userHome),
  );
}
