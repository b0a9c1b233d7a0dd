/** Everything a folder can be recognised by, gathered once. Reads, never writes, never throws. */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { findRepository, repositoryAt, type Repository } from '../git/repository.ts';
import { parseRemote } from './remote.ts';

export interface Evidence {
  readonly dir: string;
  /** False for a folder that is gone: its path is all that is known. */
  readonly exists: boolean;
  readonly root: string;
  /** The folder that stands for the project: the clone's main work tree, or the folder itself. */
  readonly main: string;
  readonly name: string;
  readonly branch?: string;
  readonly worktree?: string;
  readonly remoteKey?: string;
  readonly rootKey?: string;
  readonly gitKey?: string;
  readonly inodeKey?: string;
  /** The local repository this one was cloned from. */
  readonly sourceKey?: string;
  /** Keys that name a place; another project may stand there tomorrow. Strongest first. */
  readonly placeKeys: readonly string[];
  readonly evermemKey: string;
}

export function gatherEvidence(given: string, userHome: string, rootCommit: string | undefined): Evidence {
  const real = realpath(given);
  const exists = real !== undefined;
  const dir = real ?? resolve(given);
  const repository = exists ? findRepository(dir, realpath(userHome) ?? userHome) : undefined;
  const root = repository?.root ?? dir;
  const main = repository?.main ?? dir;
  const remote = repository && remoteOf(repository);
  const gitKey = repository && `git:${realpath(repository.commonDir) ?? repository.commonDir}`;
  const inodeKey = inodeKeyOf(main);
  return {
    dir,
    exists,
    root,
    main,
    name: (remote?.name ?? basename(main).replace(/\.git$/, '')) || 'root',
    ...(repository?.branch !== undefined && { branch: repository.branch }),
    ...(repository?.worktree !== undefined && { worktree: repository.worktree }),
    ...(remote?.kind === 'host' && { remoteKey: remote.key }),
    ...(repository && rootCommit !== undefined && { rootKey: `root:${rootCommit}` }),
    ...(gitKey !== undefined && { gitKey }),
    ...(inodeKey !== undefined && { inodeKey }),
    ...(remote?.kind === 'folder' && { sourceKey: remote.key }),
    placeKeys: unique([gitKey, inodeKey, `path:${main}`, `path:${root}`]),
    evermemKey: evermemKey(resolve(given)),
  };
}

/** EverMem's id of a folder, so that what it stored is found again: `evermem:ever_a3f2c`. */
export function evermemKey(path: string): string {
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 4);
  return `evermem:${name}_${createHash('sha256').update(path).digest('hex').slice(0, 5)}`;
}

interface NamedRemote {
  readonly kind: 'host' | 'folder';
  readonly key: string;
  readonly name: string;
}

/** A clone of a local repository belongs with it, and by it to its remote: one step, as a chain could be a ring. */
function remoteOf(repository: Repository, follow = true): NamedRemote | undefined {
  const remote = repository.remote === undefined ? undefined : parseRemote(repository.remote);
  if (remote === undefined) return undefined;
  if (remote.kind === 'host')
    return { kind: 'host', key: `remote:${remote.name}`, name: basename(remote.name) };
  const folder = realpath(resolve(repository.main, remote.path));
  const source = folder === undefined || !follow ? undefined : repositoryAt(folder);
  if (source === undefined) return undefined;
  return (
    remoteOf(source, false) ?? {
      kind: 'folder',
      key: `git:${realpath(source.commonDir) ?? source.commonDir}`,
      name: basename(source.main).replace(/\.git$/, ''),
    }
  );
}

/** Without a time of birth (some network file systems) a number that is used again would lie. */
export function inodeKeyOf(folder: string): string | undefined {
  const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isDirectory() || stat.birthtimeMs <= 0n) return undefined;
  return `inode:${stat.dev}-${stat.ino}-${stat.birthtimeMs}`;
}

function realpath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function unique(keys: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(keys.filter((key) => key !== undefined))];
}
