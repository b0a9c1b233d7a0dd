/**
 * Finds the commit that a line of a file comes from, with `git blame` on HEAD: renames are followed, changes of white
 * space alone do not count. The file in the work tree is read and compared here, not by git, because git would start the
 * filters that a repository names. Only reads.
 */
import { basename, join } from 'node:path';
import { commonLines, given, plainLine, TidemarkError } from '../../core/index.ts';
import { isRefused, readText } from '../../files/index.ts';
import { readCommits, type ReadCommit } from './commits.ts';
import { askGit, type GitQuestion } from './git-process.ts';
import type { Repository } from './repository.ts';

/** A long history of a large file takes seconds. */
const GIT_MS = 60_000;
/** Longer files are generated. */
const MOST_FILE_BYTES = 8 * 1024 * 1024;

/** Where a line comes from. */
export interface LineOrigin {
  readonly text: string;
  /** Undefined for a line that is not committed. */
  readonly commit?: ReadCommit & {
    /** The name of the file in that commit, if it had another. */
    readonly file?: string;
    /** The clone is shallow and has nothing older: the line may be from an earlier commit. */
    readonly isOldest?: boolean;
  };
  /** When the file was last committed; undefined for a new file. */
  readonly committedAt?: string;
}

/** `file`: relative to the root. Throws TidemarkError for a missing file or line, and for a file that git does not track. */
export async function lineOrigin(repository: Repository, file: string, line: number): Promise<LineOrigin> {
  const { root } = repository;
  const now = linesOf(await content(root, file));
  const text = now[line - 1];
  if (text === undefined) {
    const count = now.length === 1 ? '1 line' : `${now.length} lines`;
    throw new TidemarkError('usage', `${shown(file)} has ${count}`, {
      hint: `Name a line from 1 to ${now.length}.`,
    });
  }
  const before = await ask(root, ['cat-file', 'blob', `HEAD:${file}`]);
  if (before === undefined) {
    await checkTracked(root, file);
    return { text };
  }
  const last = await ask(root, ['log', '-1', '--format=%ct', 'HEAD', '--', `:(top,literal)${file}`]);
  const committedAt = last?.trim() ? new Date(Number(last) * 1000).toISOString() : undefined;
  const committed = lineBefore(linesOf(before), now, line);
  const commit = committed === undefined ? undefined : await blamed(repository, file, committed);
  return { text, ...given({ commit, committedAt }) };
}

/** Returns the number of a line in the committed file; undefined for one that is new or changed. */
function lineBefore(before: readonly string[], now: readonly string[], line: number): number | undefined {
  const bare = (lines: readonly string[]) => lines.map((text) => text.replace(/\s+/g, ''));
  const pair = commonLines(bare(before), bare(now)).find(([, at]) => at === line - 1);
  return pair && pair[0] + 1;
}

async function blamed(
  { root, shallow }: Repository,
  file: string,
  line: number,
): Promise<LineOrigin['commit']> {
  const range = `${line},${line}`;
  const args = ['-w', '--no-textconv', '--porcelain', '-L', range, 'HEAD', '--', file] as const;
  const answer = (await ask(root, ['blame', ...args])) ?? '';
  const [head = '', ...fields] = answer.split('\n');
  const sha = /^([0-9a-f]{40,64}) /.exec(head)?.[1];
  const [commit] = (sha && (await readCommits({ root }, [sha]))) || [];
  if (!commit)
    throw new TidemarkError('git-failed', `git found no commit for ${shown(file)}:${line}`, {
      hint: `Try: git blame -L ${range} -- ${shown(basename(file))}`,
    });
  // The source line itself starts with a tab.
  const name = fields.find((field) => field.startsWith('filename '))?.slice('filename '.length);
  const isOldest = shallow && fields.includes('boundary') ? true : undefined;
  const earlier = name === undefined || name === file ? undefined : plainLine(name);
  return { ...commit, ...given({ file: earlier, isOldest }) };
}

async function checkTracked(root: string, file: string): Promise<void> {
  const listed = await ask(root, ['ls-files', '--cached', '-z', '--', `:(top,literal)${file}`]);
  if (listed) return;
  throw new TidemarkError('not-found', `git does not track ${shown(file)}`, {
    hint: `What is remembered about it: tidemark search file:${shown(file)}`,
  });
}

async function content(root: string, file: string): Promise<string> {
  try {
    return await readText(join(root, file), MOST_FILE_BYTES);
  } catch (error) {
    if (isRefused(error)) throw error;
    throw new TidemarkError('not-found', `there is no file ${shown(file)}`, {
      hint: 'Name a file of the work tree: tidemark blame <file>:<line>',
      cause: error,
    });
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function shown(file: string): string {
  return plainLine(file);
}

function ask(root: string, args: GitQuestion['args']): Promise<string | undefined> {
  return askGit({ root, args, timeoutMs: GIT_MS });
}
