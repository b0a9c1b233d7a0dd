/**
 * Reads commits with git: which ones a work tree has, their messages and files. Everything is redacted, made plain and
 * shortened here; authors are never read. Lengths frame the messages, so no message can pose as another commit. Only reads.
 */
import { setImmediate } from 'node:timers/promises';
import { given, plainLine, plainText } from '../../core/index.ts';
import { redact } from '../../privacy/index.ts';
import { readMessage, type CommitMessage } from './commit-message.ts';
import { ReadBudget } from './file-states.ts';
import { askGit, type GitQuestion } from './git-process.ts';

/** For one git process; a large clone on a busy disk answers in a second. */
const GIT_MS = 20_000;
/** A larger object is no message that a person wrote. */
const MOST_OBJECT_BYTES = 32 * 1024;
/** About a page of text each: with five thousand commits, a project takes 20 MB at most. */
const MOST_BODY_CHARS = 4000;
const MOST_SUBJECT_CHARS = 300;
/** A commit that changes more files is not about one of them. */
const MOST_FILES = 20;
const MOST_PATH_CHARS = 300;

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** ISO dates of later years have another length. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');

/** A commit as git has it, redacted. */
export interface ReadCommit extends CommitMessage {
  readonly sha: string;
  readonly at: string;
}

export interface ChangedFiles {
  readonly files: readonly string[];
  readonly moreFiles: number;
}

export const NO_FILES: ChangedFiles = { files: [], moreFiles: 0 };

interface Place {
  readonly root: string;
  readonly signal?: AbortSignal;
}

/** Returns the newest commits reachable from one, newest first; undefined when git failed. `without`: and not from this one. */
export async function listCommits(
  place: Place,
  from: string,
  limit: number,
  without?: string,
): Promise<readonly string[] | undefined> {
  const excluded = without === undefined ? [] : [`^${without}`];
  const listed = await ask(place, ['rev-list', `--max-count=${limit}`, from, ...excluded, '--']);
  return listed?.split('\n').filter((line) => SHA.test(line));
}

/** Reads messages; skips what is no commit, too large or beyond the budget. Undefined when git failed. */
export async function readCommits(
  place: Place,
  shas: readonly string[],
  budget: ReadBudget = new ReadBudget(Infinity),
): Promise<readonly ReadCommit[] | undefined> {
  const sized = await ask(place, ['cat-file', '--batch-check'], linesOf(shas));
  const wanted = sized && readable(sized, budget);
  const answer = wanted && (await ask(place, ['cat-file', '--batch'], linesOf(wanted), 'latin1'));
  if (answer === undefined) return undefined;
  const read: ReadCommit[] = [];
  for (const { sha, object } of objectsIn(answer)) {
    const commit = parseCommit(object);
    if (commit) read.push({ sha, ...commit });
    // Redacting a long message takes tens of milliseconds: events come in between.
    await setImmediate();
  }
  return read;
}

/** Returns the files that each commit changed against its parent; none for a merge, or where git failed. */
export async function changedFiles(
  place: Place,
  shas: readonly string[],
): Promise<ReadonlyMap<string, ChangedFiles>> {
  if (shas.length === 0) return new Map();
  const args = [
    'diff-tree',
    '--stdin',
    '--root',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-ext-diff',
  ] as const;
  const answer = await ask(place, [...args], linesOf(shas));
  const found = new Map<string, { files: string[]; moreFiles: number }>();
  const fields = (answer ?? '').split('\0');
  let current: { files: string[]; moreFiles: number } | undefined;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? '';
    // `:<modes> <blobs> <status>`, then the path: a path cannot pose as the hash of a commit.
    if (field.startsWith(':')) {
      const path = fields[++i] ?? '';
      if (!current) continue;
      if (current.files.length < MOST_FILES && path.length <= MOST_PATH_CHARS)
        current.files.push(plainLine(redact(path).text));
      else current.moreFiles++;
    } else if (SHA.test(field)) {
      current = { files: [], moreFiles: 0 };
      found.set(field, current);
    }
  }
  return found;
}

/** Returns the commits of an acceptable size that the budget allows, from lines `<sha> <type> <size>`. */
function readable(sized: string, budget: ReadBudget): readonly string[] {
  return sized.split('\n').flatMap((line) => {
    const [, sha, size] = /^([0-9a-f]+) commit (\d+)$/.exec(line) ?? [];
    if (sha === undefined || Number(size) > MOST_OBJECT_BYTES) return [];
    return budget.take(Number(size)) ? [sha] : [];
  });
}

/** Parses `<sha> commit <size>\n<object>\n…`, one character per byte. */
function* objectsIn(answer: string): Generator<{ readonly sha: string; readonly object: string }> {
  for (let at = 0; at < answer.length;) {
    const end = answer.indexOf('\n', at);
    const [, sha, size] = /^([0-9a-f]+) commit (\d+)$/.exec(answer.slice(at, end)) ?? [];
    if (sha === undefined) break;
    const begin = end + 1;
    at = begin + Number(size) + 1;
    yield { sha, object: answer.slice(begin, at - 1) };
  }
}

function parseCommit(object: string): Omit<ReadCommit, 'sha'> | undefined {
  const end = object.indexOf('\n\n');
  const head = end === -1 ? object : object.slice(0, end);
  const seconds = /^committer .*> (-?\d+) [+-]\d+$/m.exec(head)?.[1];
  const time = Number(seconds) * 1000;
  if (!(time >= 0 && time <= LAST_TIME)) return undefined;
  const bytes = Buffer.from(end === -1 ? '' : object.slice(end + 2), 'latin1');
  // Redacted as a whole, before it is cut: half of a secret has no known format.
  const clean = redact(plainText(decoded(bytes, /^encoding (\S+)$/m.exec(head)?.[1]))).text;
  const { subject, body } = readMessage(clean);
  return {
    at: new Date(time).toISOString(),
    subject: cut(plainLine(subject), MOST_SUBJECT_CHARS),
    body: cut(body, MOST_BODY_CHARS),
  };
}

function decoded(bytes: Buffer, encoding: string | undefined): string {
  try {
    return new TextDecoder(encoding ?? 'utf-8').decode(bytes);
  } catch {
    return bytes.toString('utf8'); // an encoding that Node does not know
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function ask(
  { root, signal }: Place,
  args: GitQuestion['args'],
  input?: string,
  encoding?: 'latin1',
): Promise<string | undefined> {
  return askGit({ root, args, timeoutMs: GIT_MS, ...given({ input, encoding, signal }) });
}

function linesOf(shas: readonly string[]): string {
  return shas.map((sha) => `${sha}\n`).join('');
}
