/**
 * Finds the project of an event or a folder: the same project across worktrees, clones, renames and moves.
 * `resolveProject` reads a few small files, starts no process and writes nothing.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isIgnored } from '../../config/index.ts';
import { given, type Project, type SpooledEvent } from '../../core/index.ts';
import type { Stores } from '../../memory/index.ts';
import { askGit } from '../git/git-process.ts';
import { findRepository } from '../git/repository.ts';
import { gatherEvidence, inodeKeyOf, type Evidence } from './evidence.ts';
import { newProject, withEvidence, withoutKeys } from './project.ts';

/** Nothing is captured in a project with a file of this name in its root or start folder. */
export const IGNORE_FILE = '.tidemark-ignore';
/** A history that takes longer is resolved without its root commit. */
const ROOT_COMMIT_MS = 5_000;

/** The settings that exclude folders from capture. */
export interface CaptureScope {
  /** `capture.ignore` */
  readonly ignore: readonly string[];
  /** `capture.enabled`, which a project may set in its root. */
  readonly isEnabled: (root: string) => boolean;
}

/** The scope for memories a user writes by hand: they are stored in every folder. */
export const EVERYWHERE: CaptureScope = { ignore: [], isEnabled: () => true };

export interface ResolvedProject {
  readonly project: Project;
  readonly isNew: boolean;
  /** Projects to store in one transaction: this one if it changed, and those that lost a key to it. */
  readonly save: readonly Project[];
  /** The work tree, or the folder itself outside of repositories. Files are named relative to it. */
  readonly root: string;
  readonly branch?: string;
  /** The root, if it is a linked work tree. */
  readonly worktree?: string;
  readonly ignored: boolean;
  /**
   * True when the root commit would tell more: ask git and resolve again before anything is stored, or a clone of a
   * repository known only by its first commit becomes a separate project.
   */
  readonly wantsRootCommit: boolean;
}

/** Uses the start directory, never `cwd`, which follows the model's `cd`. */
export function projectOfEvent(
  stores: Stores,
  { projectDir, at, input }: SpooledEvent,
  scope: CaptureScope,
): Promise<ResolvedProject> {
  const dir = projectDir ?? stores.index.session(input.session_id)?.worktree ?? input.cwd ?? '/';
  return projectOfFolder(stores, dir, at, scope);
}

/** Finds the project of a folder and stores what was learned about it. */
export async function projectOfFolder(
  stores: Stores,
  dir: string,
  at: string,
  scope: CaptureScope,
): Promise<ResolvedProject> {
  const resolved = await lookUpProject(stores, dir, scope);
  if (resolved.ignored || resolved.save.length === 0) return resolved;
  await stores.ledger.append(resolved.save.map((project) => ({ kind: 'project', at, project })));
  stores.index.transaction(() => resolved.save.forEach((project) => stores.index.upsertProject(project)));
  return resolved;
}

/** Finds the project of a folder and stores nothing. */
export async function lookUpProject(
  stores: Stores,
  dir: string,
  { ignore, isEnabled }: CaptureScope,
): Promise<ResolvedProject> {
  const known = { byKey: (key: string) => stores.index.projectByKey(key) };
  const userHome = homedir();
  const first = resolveProject(dir, known, { userHome, ignore });
  const commit = first.wantsRootCommit
    ? await rootCommit(dir, userHome, AbortSignal.timeout(ROOT_COMMIT_MS))
    : undefined;
  const resolved = commit ? resolveProject(dir, known, { userHome, ignore, rootCommit: commit }) : first;
  return resolved.ignored || !isEnabled(resolved.root) ? { ...resolved, ignored: true } : resolved;
}

export interface KnownProjects {
  byKey(key: string): Project | undefined;
}

export interface ResolveOptions {
  readonly userHome: string;
  /** `capture.ignore` */
  readonly ignore?: readonly string[];
  readonly rootCommit?: string;
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
    ...given({ branch: evidence.branch, worktree: evidence.worktree }),
    ignored: optedOut(dir, evidence, options),
    wantsRootCommit:
      evidence.gitKey !== undefined &&
      evidence.rootKey === undefined &&
      !(match && isSettled(match, evidence)),
  };
}

/** The oldest commit without a parent; undefined for an empty or shallow repository, without git, or out of time. */
export async function rootCommit(
  dir: string,
  userHome: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const repository = existsSync(dir) ? findRepository(dir, userHome) : undefined;
  if (repository === undefined || repository.shallow || signal.aborted) return undefined;
  const answer = await askGit({
    root: repository.root,
    args: ['rev-list', '--max-parents=0', 'HEAD'],
    timeoutMs: ROOT_COMMIT_MS,
    signal,
  });
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

/** Whether the project known at this place is still there, or another one has replaced it. */
function isStillHere(project: Project, evidence: Evidence): boolean {
  const sameFolder = isSameFolder(project, evidence);
  // The history may have been rewritten or restarted in the project's folder.
  if (rootsDiffer(project, evidence)) return sameFolder === true && !remotesDiffer(project, evidence);
  if (evidence.rootKey !== undefined && keysOf(project, 'root:').length > 0) return true;
  if (remotesDiffer(project, evidence)) return sameFolder === true;
  if (sameFolder === false && movedAway(project, evidence)) return false;
  const hasRemote = evidence.remoteKey !== undefined || keysOf(project, 'remote:').length > 0;
  // Without a remote the path alone counts: a disk that was copied changes every inode.
  return !hasRemote || sameFolder !== false;
}

/** Undefined when nothing is known. Ignores the device number, which may change when the machine restarts. */
function isSameFolder(project: Project, evidence: Evidence): boolean | undefined {
  const seen = keysOf(project, 'inode:').map(withoutDevice);
  if (seen.length === 0 || evidence.inodeKey === undefined) return undefined;
  return seen.includes(withoutDevice(evidence.inodeKey));
}

/** Whether the project's own folder exists at another path: then the one at this path is new. */
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

/** A fork never gets the shared first commit as a key, so a remote is enough: otherwise git would be asked each time. */
function isSettled(project: Project, evidence: Evidence): boolean {
  const known = keysOf(project, 'root:').length > 0 || keysOf(project, 'remote:').length > 0;
  return known && isSameFolder(project, evidence) === true;
}

function keysOf(project: Project, prefix: string): readonly string[] {
  return project.keys.filter((key) => key.startsWith(prefix));
}

function optedOut(dir: string, evidence: Evidence, options: ResolveOptions): boolean {
  const folders = [...new Set([dir, evidence.dir, evidence.root, evidence.main])];
  return folders.some((folder) => isExcluded(folder, options));
}

/** Whether this folder itself is excluded, by a file in it or by the settings. */
export function isExcluded(
  folder: string,
  { ignore = [], userHome }: Pick<ResolveOptions, 'ignore' | 'userHome'>,
): boolean {
  return existsSync(join(folder, IGNORE_FILE)) || isIgnored(folder, ignore, userHome);
}
