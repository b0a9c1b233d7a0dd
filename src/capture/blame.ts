/**
 * From a line to its commit, to the session that made the commit or edited the file, to the memories of that session:
 * why a line is as it is. `git blame` on HEAD finds the commit: renames are followed, changes of white space alone do not
 * count. The file in the work tree is read and compared here, not by git, because git would start the filters that a
 * repository names. The message is redacted and made plain; authors are never read. Only reads.
 */
import { basename, join } from 'node:path';
import {
  commitsIn,
  commonLines,
  editedFiles,
  given,
  plainLine,
  plainText,
  RULE_KINDS,
  TidemarkError,
  type Memory,
  type MemoryKind,
  type Project,
  type StoredTurn,
} from '../core/index.ts';
import { tokensOf, words, type IndexedTurn, type MemoryIndex } from '../database/index.ts';
import { isRefused, readText } from '../files/index.ts';
import { redact } from '../privacy/index.ts';
import { askGit, type GitQuestion } from './git/git-process.ts';
import type { Repository } from './git/repository.ts';

/** A long history of a large file takes seconds. */
const GIT_MS = 60_000;
/** Longer files are generated. */
const MOST_FILE_BYTES = 8 * 1024 * 1024;
/** A longer message was not written by a person and is left out: redacting it would hold up other answers. */
const MOST_MESSAGE_BYTES = 128 * 1024;
const MOST_SUBJECT_CHARS = 300;
/** About a page of text. */
const MOST_BODY_CHARS = 4000;
/** ISO dates of later years have another length. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');
/** `Signed-off-by: A Person`: a line that git adds, with a name that is not needed. */
const TRAILER = /^[a-z]+(?:-[a-z]+)*-by: .*\n?/gim;

/** Work is committed within weeks; an older edit of the same file is another one. */
const EDITED_WITHIN_MS = 30 * 24 * 60 * 60 * 1000;
/** The clock of a commit has whole seconds, and a turn is stored a moment after the commit. */
const SLACK_MS = 60_000;
/** Turns that are opened to look for the edit. */
const MOST_OPENED = 60;
/** Memories in the story: the reader wants the reason, not a list. */
const MOST_MEMORIES = 5;
const MOST_LOOKED_UP = 200;
/** A shorter line, such as a bracket, is in every file. */
const LEAST_LINE_CHARS = 12;
/** How many characters of a hash a turn has (`commitsIn`). */
const HASH_CHARS = 7;
/** Kinds of memories that tell why. Of other sessions and turns, only these are listed. */
const REASONS: readonly MemoryKind[] = [...RULE_KINDS, 'dead_end'];

/** A commit as git has it, redacted. */
interface ReadCommit {
  readonly sha: string;
  readonly at: string;
  readonly subject: string;
  /** Empty if the message has only a subject. */
  readonly body: string;
}

/** Where a line comes from. */
interface LineOrigin {
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

/** How the session is known. */
export type SessionLink = 'made the commit' | 'wrote this line' | 'edited this file';
/** How a memory is known, strongest first. */
export type MemoryLink = (typeof LINKS)[number];
const LINKS = [
  'names the commit',
  'same turn',
  'same session and file',
  'same session',
  'same file',
] as const;

export interface LineStory extends LineOrigin {
  readonly project: string;
  /** Relative to the root of the work tree. */
  readonly file: string;
  readonly line: number;
  readonly session?: {
    readonly id: string;
    readonly title?: string;
    readonly at: string;
    readonly turn: string;
    readonly prompt: string;
    readonly link: SessionLink;
  };
  readonly memories: readonly { readonly memory: Memory; readonly link: MemoryLink }[];
}

export interface BlameStores {
  readonly index: MemoryIndex;
  /** Returns the full turn, unless the turn store had to drop it. */
  readonly load: (turn: IndexedTurn) => Promise<StoredTurn | undefined>;
}

export interface BlamedLine {
  readonly project: Pick<Project, 'id'>;
  readonly repository: Repository;
  readonly file: string;
  readonly line: number;
}

/** Throws TidemarkError for a missing file or line, and for a file that git does not track. */
export async function blame(stores: BlameStores, question: BlamedLine): Promise<LineStory> {
  const { project, repository, file, line } = question;
  const origin = await lineOrigin(repository, file, line);
  const looked = { project: project.id, root: repository.root, file, origin };
  const { turn, link } = (await turnBehind(stores, looked)) ?? {};
  const { title } = (turn && stores.index.session(turn.session)) ?? {};
  return {
    ...origin,
    project: project.id,
    file,
    line,
    ...(turn && link
      ? {
          session: {
            id: turn.session,
            at: turn.startedAt,
            turn: turn.id,
            prompt: turn.prompt,
            link,
            ...given({ title }),
          },
        }
      : {}),
    memories: memoriesBehind(stores.index, looked, turn),
  };
}

async function lineOrigin(repository: Repository, file: string, line: number): Promise<LineOrigin> {
  const { root } = repository;
  const now = linesOf(await content(root, file));
  const text = now[line - 1];
  if (text === undefined) {
    const count = now.length === 1 ? '1 line' : `${now.length} lines`;
    throw new TidemarkError('usage', `${plainLine(file)} has ${count}`, {
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
  const commit = sha && (await readCommit(root, sha));
  if (!commit)
    throw new TidemarkError('git-failed', `git found no commit for ${plainLine(file)}:${line}`, {
      hint: `Try: git blame -L ${range} -- ${plainLine(basename(file))}`,
    });
  // The source line itself starts with a tab.
  const name = fields.find((field) => field.startsWith('filename '))?.slice('filename '.length);
  const isOldest = shallow && fields.includes('boundary') ? true : undefined;
  const earlier = name === undefined || name === file ? undefined : plainLine(name);
  return { ...commit, ...given({ file: earlier, isOldest }) };
}

/** Undefined where git failed or the object has no time. */
async function readCommit(root: string, sha: string): Promise<ReadCommit | undefined> {
  const object = await ask(root, ['cat-file', 'commit', sha], 'latin1');
  if (object === undefined) return undefined;
  const end = object.indexOf('\n\n');
  const head = end === -1 ? object : object.slice(0, end);
  const seconds = /^committer .*> (-?\d+) [+-]\d+$/m.exec(head)?.[1];
  const time = Number(seconds) * 1000;
  if (!(time >= 0 && time <= LAST_TIME)) return undefined;
  const message = end === -1 ? '' : object.slice(end + 2);
  const bytes = Buffer.from(message.length > MOST_MESSAGE_BYTES ? '' : message, 'latin1');
  // Redacted as a whole, before it is cut: half of a secret has no known format.
  const clean = redact(plainText(decoded(bytes, /^encoding (\S+)$/m.exec(head)?.[1]))).text;
  const [subject = '', ...body] = clean
    .replace(TRAILER, '')
    .trim()
    .split(/\n\s*\n/);
  return {
    sha,
    at: new Date(time).toISOString(),
    subject: cut(plainLine(subject), MOST_SUBJECT_CHARS),
    body: cut(body.join('\n\n'), MOST_BODY_CHARS),
  };
}

async function checkTracked(root: string, file: string): Promise<void> {
  const listed = await ask(root, ['ls-files', '--cached', '-z', '--', `:(top,literal)${file}`]);
  if (listed) return;
  throw new TidemarkError('not-found', `git does not track ${plainLine(file)}`, {
    hint: `What is remembered about it: tidemark search file:${plainLine(file)}`,
  });
}

async function content(root: string, file: string): Promise<string> {
  try {
    return await readText(join(root, file), MOST_FILE_BYTES);
  } catch (error) {
    if (isRefused(error)) throw error;
    throw new TidemarkError('not-found', `there is no file ${plainLine(file)}`, {
      hint: 'Name a file of the work tree: tidemark blame <file>:<line>',
      cause: error,
    });
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
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

function ask(root: string, args: GitQuestion['args'], encoding?: 'latin1'): Promise<string | undefined> {
  return askGit({ root, args, timeoutMs: GIT_MS, ...given({ encoding }) });
}

interface Looked {
  readonly project: string;
  readonly root: string;
  readonly file: string;
  readonly origin: LineOrigin;
}

interface Behind {
  readonly turn: StoredTurn;
  readonly link: SessionLink;
}

async function turnBehind(stores: BlameStores, looked: Looked): Promise<Behind | undefined> {
  const { commit, committedAt } = looked.origin;
  if (!commit) {
    const since = committedAt ?? new Date(0).toISOString();
    return editingTurn(stores, looked, { since, until: new Date().toISOString() });
  }
  const time = Date.parse(commit.at);
  const span = {
    since: new Date(time - EDITED_WITHIN_MS).toISOString(),
    until: new Date(time + SLACK_MS).toISOString(),
  };
  return (await committingTurn(stores, looked, commit, span)) ?? editingTurn(stores, looked, span);
}

interface Span {
  readonly since: string;
  readonly until: string;
}

/** The turn whose output shows the commit, by its hash or, after a rebase, by its subject. */
async function committingTurn(
  { index, load }: BlameStores,
  { project }: Looked,
  { sha, subject }: NonNullable<LineOrigin['commit']>,
  span: Span,
): Promise<Behind | undefined> {
  for (const named of [sha.slice(0, HASH_CHARS), subject]) {
    for (const found of index.turnsNaming(named, { project, ...span }, MOST_OPENED)) {
      const turn = await load(found);
      const made = turn && commitsIn(turn).find((one) => one.hash === named || one.subject === named);
      if (turn && made) return { turn, link: 'made the commit' };
    }
  }
  return undefined;
}

/** The last turn that wrote the line, else the last that edited the file. */
async function editingTurn(
  { index, load }: BlameStores,
  { project, root, file, origin }: Looked,
  span: Span,
): Promise<Behind | undefined> {
  const names = [file, ...(origin.commit?.file === undefined ? [] : [origin.commit.file])];
  const text = origin.text.trim();
  let last: StoredTurn | undefined;
  for (const name of names)
    for (const found of index.turnsNaming(basename(name), { project, ...span }, MOST_OPENED)) {
      const turn = await load(found);
      if (!turn || !editedFiles(turn, root).includes(name)) continue;
      const hasLine =
        text.length >= LEAST_LINE_CHARS && turn.tools.some(({ output }) => output?.includes(text) ?? false);
      if (hasLine) return { turn, link: 'wrote this line' };
      last ??= turn;
    }
  return last && { turn: last, link: 'edited this file' };
}

function memoriesBehind(
  index: MemoryIndex,
  { project, file, origin: { commit } }: Looked,
  turn: StoredTurn | undefined,
): LineStory['memories'] {
  const files = [file, ...(commit?.file === undefined ? [] : [commit.file])];
  const short = commit?.sha.slice(0, HASH_CHARS);
  const known = new Map<string, Memory>();
  const add = (memories: Iterable<Memory>) => {
    for (const memory of memories) known.set(memory.id, memory);
  };
  if (turn) add(index.memoriesBy({ session: turn.session, limit: MOST_LOOKED_UP }));
  for (const name of files) add(index.memoriesBy({ project, file: name, limit: MOST_LOOKED_UP }));
  if (short !== undefined) add(memoriesNaming(index, project, short));
  const linkOf = (memory: Memory): MemoryLink | undefined => {
    const { session, turn: made, also = [] } = memory.provenance;
    const isOfFile = memory.files.some((name) => files.includes(name));
    if (short !== undefined && names(memory, short)) return 'names the commit';
    if (turn && [made, ...also].includes(turn.id)) return 'same turn';
    if (turn && session === turn.session && isOfFile) return 'same session and file';
    if (!REASONS.includes(memory.kind)) return undefined;
    if (turn && session === turn.session) return 'same session';
    return isOfFile ? 'same file' : undefined;
  };
  const linked = [...known.values()].flatMap((memory) => {
    const link = linkOf(memory);
    return link === undefined ? [] : [{ memory, link }];
  });
  const rank = (kind: Memory['kind']) => (REASONS.includes(kind) ? 0 : 1);
  return linked
    .toSorted(
      (a, b) =>
        LINKS.indexOf(a.link) - LINKS.indexOf(b.link) ||
        rank(a.memory.kind) - rank(b.memory.kind) ||
        b.memory.at.localeCompare(a.memory.at),
    )
    .slice(0, MOST_MEMORIES);
}

function memoriesNaming(index: MemoryIndex, project: string, short: string): Iterable<Memory> {
  const tokens = words(short).flatMap((word) => tokensOf(word).slice(0, 1));
  const found = index.candidates({
    tokens,
    filters: [{ project }],
    limit: MOST_LOOKED_UP,
    weights: [1, 1, 1, 1, 1, 1, 1],
    reach: 0,
  });
  return index.memoriesAt(found.map(({ row }) => row)).values();
}

function names({ title, body, reason = '', facts }: Memory, short: string): boolean {
  return [title, body, reason, ...facts].some((text) => text.includes(short));
}
