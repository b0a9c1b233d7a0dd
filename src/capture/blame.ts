/**
 * From a line to the commit, to the session that made the commit or edited the file, to the memories of that session:
 * why a line is as it is. Only reads.
 */
import { basename } from 'node:path';
import {
  commitsIn,
  editedFiles,
  given,
  RULE_KINDS,
  type Memory,
  type MemoryKind,
  type Project,
  type StoredTurn,
} from '../core/index.ts';
import { tokensOf, words, type IndexedTurn, type MemoryIndex } from '../database/index.ts';
import { lineOrigin, type LineOrigin } from './git/line-origin.ts';
import type { Repository } from './git/repository.ts';

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
