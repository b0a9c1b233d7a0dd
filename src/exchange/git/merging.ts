/**
 * Sets up a repository with a journal to merge it entry by entry: attributes next to the files, and the driver in the
 * clone's config, because git takes no commands from fetched files. Commits nothing.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { askGit, blobHash, type GitQuestion } from '../../capture/index.ts';
import { TidemarkError, type Places } from '../../core/index.ts';
import {
  JOURNAL_BYTES,
  readBytesSync,
  readTextSync,
  STATE_BYTES,
  writeAtomicallySync,
} from '../../files/index.ts';

const GIT_TIMEOUT_MS = 20_000;

/** Journal files merge by entry, lists of forgotten entries by line. */
const ATTRIBUTES = ['*.md merge=tidemark', 'forgotten*.jsonl merge=union'];
/** Temporary files. */
const IGNORED = ['.tidemark-write-*', '.*.tmp'];

export interface Merging {
  /** Root of the folder's work tree. */
  readonly workTree: string;
  /** Number of files that are not committed. */
  readonly uncommitted: number;
  /** A .gitignore excludes the folder. */
  readonly ignored: boolean;
}

/** Undefined if the folder is in no repository, or git is not installed. */
export async function setUpMerging(folder: string, places: Places): Promise<Merging | undefined> {
  const workTree = (await git(folder, ['rev-parse', '--show-toplevel']))?.trim();
  if (!workTree) return undefined;
  addLines(join(folder, '.gitattributes'), ATTRIBUTES);
  addLines(join(folder, '.gitignore'), IGNORED);
  await git(folder, ['config', 'merge.tidemark.name', "entries of Tidemark's journal"]);
  await git(folder, ['config', 'merge.tidemark.driver', driverCommand(places)]);
  return {
    workTree,
    uncommitted: await countUncommitted(folder),
    ignored: (await git(folder, ['check-ignore', '-q', '.gitattributes'])) !== undefined,
  };
}

/** Compares hashes itself: `git status` would run the filters that the repository names. */
async function countUncommitted(folder: string): Promise<number> {
  const listed = await git(folder, [
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    '.',
  ]);
  const tree = (await git(folder, ['ls-tree', '-r', '-z', 'HEAD', '--', '.'])) ?? '';
  const committed = new Map(
    tree.split('\0').map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2]]),
  );
  const files = new Set([...(listed ?? '').split('\0'), ...committed.keys()].filter(Boolean));
  return [...files].filter((file) => !hashesOf(join(folder, file)).includes(committed.get(file) ?? ''))
    .length;
}

/** The blob of the file as it is, and with the line ends that git commits. Empty for a file that cannot be read. */
function hashesOf(path: string): readonly string[] {
  try {
    const bytes = readBytesSync(path, JOURNAL_BYTES);
    return [
      blobHash(bytes),
      blobHash(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')),
    ];
  } catch {
    return [];
  }
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

/** Refuses a link: the repository decides where it points. */
function addLines(path: string, lines: readonly string[]): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink())
    throw new TidemarkError('usage', `${path} is a link`, {
      hint: 'Replace it with a file, then run it again.',
    });
  const text = stat ? readTextSync(path, STATE_BYTES) : '';
  const known = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const mode = stat ? stat.mode & 0o777 : 0o666 & ~process.umask();
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  writeAtomicallySync(path, `${before}${missing.join('\n')}\n`, { mode });
}

function git(folder: string, args: GitQuestion['args']): Promise<string | undefined> {
  return askGit({ root: folder, args, timeoutMs: GIT_TIMEOUT_MS });
}
