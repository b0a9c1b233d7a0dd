/** Gathers everything a folder can be recognised by. Reads, never writes, never throws. */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { given } from '../../core/index.ts';
import { findRepository, repositoryAt, type Repository } from '../git/repository.ts';

export interface Evidence {
  readonly dir: string;
  /** False for a deleted folder: only its path is known. */
  readonly exists: boolean;
  readonly root: string;
  /** The clone's main work tree, or the folder itself. */
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
  /** Keys of a place, strongest first. Another project may be at the same place later. */
  readonly placeKeys: readonly string[];
  readonly evermemKey: string;
}

export function gatherEvidence(folder: string, userHome: string, rootCommit: string | undefined): Evidence {
  const real = realpath(folder);
  const exists = real !== undefined;
  const dir = real ?? resolve(folder);
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
    ...given({
      branch: repository?.branch,
      worktree: repository?.worktree,
      remoteKey: remote?.kind === 'host' ? remote.key : undefined,
      rootKey: repository && rootCommit !== undefined ? `root:${rootCommit}` : undefined,
      gitKey,
      inodeKey,
      sourceKey: remote?.kind === 'folder' ? remote.key : undefined,
    }),
    placeKeys: unique([gitKey, inodeKey, `path:${main}`, `path:${root}`]),
    evermemKey: evermemKey(resolve(folder)),
  };
}

/** EverMem's id of a folder, which finds the data it stored: `evermem:ever_a3f2c`. */
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

/** A clone of a local repository shares that one's project and remote. Follows one step only: a chain could be a ring. */
function remoteOf(repository: Repository, follow = true): NamedRemote | undefined {
  const remote = repository.remote === undefined ? undefined : parseRemote(repository.remote);
  if (remote === undefined) return undefined;
  if (remote.kind === 'host')
    return { kind: 'host', key: `remote:${remote.name}`, name: basename(remote.name) };
  const path = realpath(resolve(repository.main, remote.path));
  const source = path === undefined || !follow ? undefined : repositoryAt(path);
  if (source === undefined) return undefined;
  return (
    remoteOf(source, false) ?? {
      kind: 'folder',
      key: `git:${realpath(source.commonDir) ?? source.commonDir}`,
      name: basename(source.main).replace(/\.git$/, ''),
    }
  );
}

/** Undefined without a birth time (some network file systems): a reused inode number would match the wrong folder. */
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

type Remote =
  | { readonly kind: 'host'; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string };

/** Hosts that ignore the case of owner and repository. */
const CASELESS_HOSTS: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org']);

/** Reduces a URL to the repository's name: `git@GitHub.com:Ada/Engine.git` and `https://token@github.com/ada/engine/` → `github.com/ada/engine` */
function parseRemote(url: string): Remote | undefined {
  const text = url.trim();
  if (/^file:\/\//i.test(text)) return localUrl(text);
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)(?::\d*)?\/(.*)$/i.exec(text);
  if (withScheme) return onHost(withScheme[1] ?? '', withScheme[2] ?? '');
  if (/^([A-Za-z]:[\\/]|[./~\\])/.test(text)) return { kind: 'folder', path: text };
  const scpLike = /^(?:[^@/:]*@)?(\[[^\]]+\]|[^/:@]+):(.*)$/.exec(text);
  if (scpLike) return onHost(scpLike[1] ?? '', scpLike[2] ?? '');
  return text === '' ? undefined : { kind: 'folder', path: text };
}

function onHost(rawHost: string, rawPath: string): Remote | undefined {
  const host = rawHost.toLowerCase();
  const path = decode(rawPath)
    .replace(/[?#].*$/, '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .replace(/\/{2,}/g, '/');
  if (host === '' || path === '') return undefined;
  return { kind: 'host', name: `${host}/${CASELESS_HOSTS.has(host) ? path.toLowerCase() : path}` };
}

function localUrl(url: string): Remote | undefined {
  try {
    return { kind: 'folder', path: fileURLToPath(url) };
  } catch {
    return undefined;
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
