/** Which project an event belongs to: told by the start directory, never by `cwd`, which follows the model's `cd`. */
import { homedir } from 'node:os';
import type { SpooledEvent } from '../../core/index.ts';
import type { Stores } from '../../memory/index.ts';
import { resolveProject, rootCommit, type ResolvedProject } from './projects.ts';

const ROOT_COMMIT_MS = 5_000;

/** Where capture looks away, as the settings say. */
export interface CaptureScope {
  /** `capture.ignore` */
  readonly ignore: readonly string[];
  /** `capture.enabled`, which a project may set in its root. */
  readonly isEnabled: (root: string) => boolean;
}

/** For what a person writes down by hand, which is kept wherever it is said. */
export const EVERYWHERE: CaptureScope = { ignore: [], isEnabled: () => true };

export async function projectOfEvent(
  stores: Stores,
  event: SpooledEvent,
  scope: CaptureScope,
): Promise<ResolvedProject> {
  const known = stores.index.session(event.input.session_id);
  return projectOfFolder(
    stores,
    event.projectDir ?? known?.worktree ?? event.input.cwd ?? '/',
    event.at,
    scope,
  );
}

/** Resolves a folder and writes down what was learned about its project. */
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

/** The same, with nothing written down. */
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
