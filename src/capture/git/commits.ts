/**
 * Reads commits with git: which ones a work tree has, their messages and files. Everything is redacted, made plain and
 * shortened here; authors are never read. Lengths frame the messages, so no message can pose as another commit. Only reads.
 */
import { given, plainLine, plainText } from '../../core/index.ts';
import { redact } from '../../privacy/index.ts';
import { readMessage, type CommitMessage } from './commit-message.ts';
import { askGit, type GitQuestion } from './git-process.ts';

/** For one git process; a large clone on a busy disk answers in a second. */
const GIT_MS = 20_000;
/** A larger object is no message that a person wrote. */
const MOST_OBJECT_BYTES = 256 * 1024;
/** Objects read at once, in bytes: far below the limit of an answer. */
const MOST_BATCH_BYTES = 8 * 1024 * 1024;
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

/** Reads messages; skips what is no commit or too large. Undefined when git failed. */
export async function readCommits(
  place: Place,
  shas: readonly string[],
): Promise<readonly ReadCommit[] | undefined> {
  const sized = await ask(place, ['cat-file', '--batch-check'], linesOf(shas));
  if (sized === undefined) return undefined;
  const read: ReadCommit[] = [];
  for (const batch of batches(sized)) {
    const answer = await ask(place, ['cat-file', '--batch'], linesOf(batch), 'latin1');
    if (answer === undefined) return undefined;
    read.push(...parseObjects(answer));
  }
  return read;
}

/** Returns the files that each commit changed against its parent; none for a merge, or where git failed. */
export async function changedFiles(
  place: Place,
  shas: readonly string[],
): Promise<ReadonlyMap<string, ChangedFiles>> {
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

/** Groups objects of an acceptable size, from lines `<sha> <type> <size>`. */
function batches(sized: string): readonly (readonly string[])[] {
  const all: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const line of sized.split('\n')) {
    const [, sha, digits] = /^([0-9a-f]+) commit (\d+)$/.exec(line) ?? [];
    const size = Number(digits);
    if (sha === undefined || size > MOST_OBJECT_BYTES) continue;
    if (bytes + size > MOST_BATCH_BYTES) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(sha);
    bytes += size;
  }
  return all;
}

/** Parses `<sha> commit <size>\n<object>\n…`, one character per byte. */
function parseObjects(answer: string): readonly ReadCommit[] {
  const read: ReadCommit[] = [];
  for (let at = 0; at < answer.length;) {
    const end = answer.indexOf('\n', at);
    const [, sha, size] = /^([0-9a-f]+) commit (\d+)$/.exec(answer.slice(at, end)) ?? [];
    if (sha === undefined) break;
    const begin = end + 1;
    at = begin + Number(size) + 1;
    const commit = parseCommit(answer.slice(begin, at - 1));
    if (commit) read.push({ sha, ...commit });
  }
  return read;
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
