/**
 * Sets up a repository with a journal to merge it entry by entry: attributes next to the files, and the driver in the
 * clone's config, because git takes no commands from fetched files. Commits nothing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

const GIT_TIMEOUT_MS = 20_000;

/** Journal files merge by entry, lists of forgotten entries by line. */
const ATTRIBUTES = ['*.md merge=tidemark', 'forgotten*.jsonl merge=union'];
/** The project page is generated on each machine; the others are temporary files. */
const IGNORED = ['MEMORY.md', '.tidemark-write-*', '.*.tmp'];

export interface Merging {
  /** Root of the folder's work tree. */
  readonly workTree: string;
  /** Number of files that are not committed. */
  readonly uncommitted: number;
  /** A .gitignore excludes the folder. */
  readonly ignored: boolean;
}

/** Undefined if the folder is in no repository, or git is not installed. */
export function setUpMerging(folder: string, places: Places): Merging | undefined {
  const workTree = git(folder, ['rev-parse', '--show-toplevel'])?.trim();
  if (!workTree) return undefined;
  addLines(join(folder, '.gitattributes'), ATTRIBUTES);
  addLines(join(folder, '.gitignore'), IGNORED);
  git(folder, ['config', 'merge.tidemark.name', "entries of Tidemark's journal"]);
  git(folder, ['config', 'merge.tidemark.driver', driverCommand(places)]);
  const status = git(folder, ['status', '--porcelain', '--untracked-files=all', '--', '.']) ?? '';
  return {
    workTree,
    uncommitted: status.split('\n').filter(Boolean).length,
    ignored: git(folder, ['check-ignore', '-q', '.gitattributes']) !== undefined,
  };
}

/** Uses the Node and program paths recorded at install, which updates keep current; without them git merges as usual. */
function driverCommand(places: Pick<Places, 'node' | 'program'>): string {
  const read = (file: string): string => `"$(cat ${quoted(file)})"`;
  const program = `"$(cat ${quoted(places.program)})/cli.cjs"`;
  return `${read(places.node)} ${program} merge-driver %O %A %B %P || git merge-file -L ours -L base -L theirs %A %O %B`;
}

/** Quotes a path for the shell and for git, which expands percent signs. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}

function addLines(path: string, lines: readonly string[]): void {
  const text = existsSync(path) ? readTextSync(path, STATE_BYTES) : '';
  const known = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const exists = existsSync(path);
  const mode = exists ? statSync(path).mode & 0o777 : 0o666 & ~process.umask();
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  writeAtomicallySync(exists ? realpathSync(path) : path, `${before}${missing.join('\n')}\n`, { mode });
}

function git(folder: string, args: readonly string[]): string | undefined {
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, ...env } = process.env;
  try {
    return execFileSync('git', ['-C', folder, ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: GIT_TIMEOUT_MS,
    });
  } catch {
    return undefined; // no repository, no git, or a negative answer
  }
}
