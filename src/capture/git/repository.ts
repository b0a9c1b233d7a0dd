/**
 * Reads facts about a folder's repository from its files, without a git process, so that a prompt can wait for it.
 * Never writes, never follows includes of the config, never throws.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { given } from '../../core/index.ts';
import { readTextSync } from '../../files/index.ts';

/** HEAD, `commondir` and a `.git` file contain one path. The patterns below read the file as one short line. */
const POINTER_BYTES = 8 * 1024;
/** A config has some hundred bytes for each branch; clones with ten thousand branches exist. */
const CONFIG_BYTES = 4 * 1024 * 1024;

export interface Repository {
  /** The work tree the folder is in. */
  readonly root: string;
  /** The work tree's own git directory, with its HEAD and the log of HEAD. */
  readonly gitDir: string;
  /** Shared by all work trees of the clone. */
  readonly commonDir: string;
  /** The clone's main work tree, or the bare repository. */
  readonly main: string;
  readonly branch?: string;
  /** Folder of a linked work tree; absent in the main one. */
  readonly worktree?: string;
  /** URL of `origin`, else of the first remote, as written in the config. */
  readonly remote?: string;
  readonly shallow: boolean;
}

/**
 * Finds the innermost repository around an existing folder. A repository in the user's home or the root of the file
 * system (dotfiles) is not a project.
 */
export function findRepository(folder: string, userHome: string): Repository | undefined {
  for (let at = folder; at !== dirname(at) && at !== userHome; at = dirname(at)) {
    const found = gitDirOf(at);
    if (found) return describe(found.root, found.gitDir);
  }
  return undefined;
}

/** The repository of exactly this folder, without searching its parents. */
export function repositoryAt(folder: string): Repository | undefined {
  const found = gitDirOf(folder);
  return found && describe(found.root, found.gitDir);
}

function gitDirOf(folder: string): { readonly root: string; readonly gitDir: string } | undefined {
  const dotGit = join(folder, '.git');
  if (isGitDir(dotGit)) return { root: folder, gitDir: dotGit };
  const pointer = /^gitdir: (.+?)\s*$/.exec(readText(dotGit) ?? '')?.[1];
  if (pointer !== undefined && isGitDir(resolve(folder, pointer)))
    return { root: folder, gitDir: resolve(folder, pointer) };
  if (!isGitDir(folder)) return undefined;
  return { root: basename(folder) === '.git' ? dirname(folder) : folder, gitDir: folder };
}

function describe(root: string, gitDir: string): Repository {
  const commonPointer = readText(join(gitDir, 'commondir'))?.trim();
  const commonDir = commonPointer ? resolve(gitDir, commonPointer) : gitDir;
  const branch = /^ref: refs\/heads\/(.+?)\s*$/.exec(readText(join(gitDir, 'HEAD')) ?? '')?.[1];
  const remote = remoteUrl(readText(join(commonDir, 'config'), CONFIG_BYTES) ?? '');
  return {
    root,
    gitDir,
    commonDir,
    main: mainFolder(root, gitDir, commonDir),
    ...given({ branch, worktree: commonPointer ? root : undefined, remote }),
    shallow: existsSync(join(commonDir, 'shallow')),
  };
}

/** The git directory of a submodule is inside another repository's, so its own work tree is the main folder. */
function mainFolder(root: string, gitDir: string, commonDir: string): string {
  if (gitDir === commonDir) return root;
  return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
}

function isGitDir(folder: string): boolean {
  if (readText(join(folder, 'HEAD')) === undefined) return false;
  return existsSync(join(folder, 'objects')) || existsSync(join(folder, 'commondir'));
}

/** Parses as much of the config as a remote's URL needs: sections, comments, quotes, escapes. */
function remoteUrl(config: string): string | undefined {
  const urls = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const section = /^\s*\[([^\]"\s]*)\s*(?:"((?:[^"\\]|\\.)*)")?\]/.exec(line);
    if (section)
      remote = section[1]?.toLowerCase() === 'remote' ? section[2]?.replace(/\\(.)/g, '$1') : undefined;
    const rest = section ? line.slice(section[0].length) : line;
    const value = /^\s*url\s*=\s*(.*)$/i.exec(rest)?.[1];
    if (remote !== undefined && value !== undefined && !urls.has(remote)) urls.set(remote, unquote(value));
  }
  return urls.get('origin') ?? urls.values().next().value;
}

function unquote(value: string): string {
  let quoted = false;
  let out = '';
  for (let i = 0; i < value.length; i++) {
    const char = value[i] ?? '';
    if (char === '\\') out += value[++i] ?? '';
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '#' || char === ';')) break;
    else out += char;
  }
  return out.trim();
}

function readText(file: string, limit = POINTER_BYTES): string | undefined {
  try {
    return readTextSync(file, limit);
  } catch {
    return undefined;
  }
}
