/**
 * A question → ranked memories, each with the reasons for its place. Reads a store, writes nothing: the embedded index and
 * the team's database are asked the same.
 */
import { given, PERSONAL_PROJECT, type Memory } from '../core/index.ts';
import {
  queryWords,
  tokensOf,
  type Candidate,
  type MemoryFilter,
  type QueryVector,
} from '../database/index.ts';
import { entryCost } from './context/render.ts';
import type { Span } from './dates.ts';
import { parseQuery, parseTalk, type Query } from './query.ts';
import {
  answered,
  answeredLater,
  ask,
  type Answering,
  type Asking,
  type MemoryStore,
} from './ranking/asking.ts';
import { comparable, fuse, type By } from './ranking/fuse.ts';
import {
  evidenceOf,
  memoryScore,
  NO_SCORE,
  placed,
  relevance,
  weigh,
  withFiles,
  withMeaning,
  type Circumstances,
  type Score,
  type ScorePart,
  type WeighedWord,
} from './ranking/score.ts';
import {
  byNameOnly,
  NOTHING_KNOWN,
  type FileChange,
  type FilesNow,
  type Signals,
} from './ranking/signals.ts';
import {
  CANDIDATES,
  COLLAPSED,
  DUPLICATE_OVERLAP,
  FLOOR,
  LOOKED_AT,
  MEANING,
  MEMORY_COLUMN_WEIGHTS,
  NEAR_WEIGHTS,
  NEAREST,
  WEIGHED,
} from './ranking/weights.ts';

export interface SearchOptions {
  readonly now: Date;
  /** The project asked from: its memories come first. */
  readonly project?: string;
  /** `project`: only that project and the personal one. */
  readonly scope?: 'project' | 'everywhere';
  readonly branch?: string;
  /** What is known beside the words; without them only the name of the branch counts. */
  readonly signals?: Signals;
  readonly limit?: number;
  readonly floor?: number;
  /** The question as a vector; without one, words alone decide. */
  readonly vector?: QueryVector;
  readonly by?: By;
  /** Somebody talks and does not ask: what looks like a filter (`file:`, `kind:`) is part of the text. */
  readonly talk?: boolean;
}

export interface Hit {
  readonly memory: Memory;
  /** Between 0 and 1: its place in the order, as strong as the best of them is sure. */
  readonly score: number;
  /** How sure it is that this one answers, by what it holds itself, between 0 and 1. What the gate looks at. */
  readonly evidence: number;
  /** The same by its words alone, and how it came about. */
  readonly worded: Score;
  /** How near its meaning is to the question's, where both have a vector. */
  readonly cosine?: number;
  readonly parts: readonly ScorePart[];
  /** The words of the query it covers. */
  readonly covered: readonly string[];
  /** Memories that say the same and were folded into this one. */
  readonly duplicates: readonly string[];
  /** Files it speaks of that are not as they were; looked up for the best only. */
  readonly changes: readonly FileChange[];
  /** Tokens of the whole entry. */
  readonly cost: number;
}

export interface SearchResult {
  readonly query: Query;
  readonly hits: readonly Hit[];
  /** All that were looked at, also below the floor; best first. */
  readonly considered: readonly Hit[];
}

const DEFAULT_LIMIT = 10;

export function search(index: Answering, text: string, options: SearchOptions): SearchResult {
  return answered(index, searching(text, options));
}

/** The same in a store that takes a while to answer. */
export function searchStore(store: MemoryStore, text: string, options: SearchOptions): Promise<SearchResult> {
  return answeredLater(store, searching(text, options));
}

function* searching(text: string, options: SearchOptions): Asking<SearchResult> {
  const query = options.talk ? parseTalk(text, options.now) : parseQuery(text, options.now);
  const considered = collapse(yield* candidates(query, options));
  return { query, hits: aboveFloor(considered, options), considered };
}

function aboveFloor(hits: readonly Hit[], options: SearchOptions): readonly Hit[] {
  const { floor = FLOOR.search, limit = DEFAULT_LIMIT } = options;
  return hits.filter(({ score }) => score >= floor).slice(0, limit);
}

function* candidates(query: Query, options: SearchOptions): Asking<readonly Hit[]> {
  const dated = yield* filtering(query, options);
  const words = queryWords(query.text);
  if (words.length === 0) return yield* listed(dated, query, signalsOf(options));

  const weighed = weigh(words, yield* ask('memoryFrequencies', words.flatMap(tokensOf)));
  const tokens = [...new Set(weighed.flatMap(({ word }) => tokensOf(word)))];
  // A time in plain words is rarely exact: what is of another time sinks, but is not left out.
  const wide =
    query.dateWords === undefined ? [dated] : [dated, yield* filtering(withoutTime(query), options)];
  // The project's own are taken as deep again, so that a bigger neighbour cannot crowd them out.
  const { project } = options;
  const deeper = project && dated.project === undefined ? wide.map((one) => ({ ...one, project })) : [];
  const found = yield* ask('candidates', {
    tokens,
    filters: [...wide, ...deeper],
    limit: CANDIDATES,
    weights: MEMORY_COLUMN_WEIGHTS,
    reach: NEAR_WEIGHTS.length,
    nearest: NEAREST,
    ...(options.vector && options.by !== 'words' ? { vector: options.vector } : {}),
  });
  return yield* ranked(comparable(found, options.vector), weighed, query, options);
}

function* ranked(
  found: readonly Candidate[],
  words: readonly WeighedWord[],
  query: Query,
  options: SearchOptions,
): Asking<readonly Hit[]> {
  const average = found.reduce((sum, { length }) => sum + length, 0) / Math.max(1, found.length);
  const cosines = found.map(({ cosine }) => cosine);
  const orders = fuse(
    found.map((candidate) => relevance(words, candidate, average)),
    cosines,
    options.by,
  );
  // How sure an entry is of itself must not depend on what stands beside it.
  const alone = fuse(found.map((candidate) => relevance(words, { ...candidate, near: [] }, average)));
  const wordings = found.map((candidate, i) => evidenceOf(words, candidate, alone[i] ?? 0));
  const evidences = wordings.map((wording, i) => withMeaning(wording, cosines[i]));
  const nearest = Math.max(0, ...cosines.map((cosine) => cosine ?? 0));
  const strongest = Math.max(MEANING.shown * nearest, ...evidences.map(({ score }) => score));
  const about = {
    now: options.now,
    project: options.project,
    signals: signalsOf(options),
    files: query.mentioned,
  };
  const timed = { ...about, ...plainTime(query) };
  const best = found
    .map(({ row, cosine }, i) => ({
      row,
      order: orders[i] ?? 0,
      evidence: evidences[i] ?? NO_SCORE,
      wording: wordings[i] ?? NO_SCORE,
      ...given({ cosine }),
    }))
    .toSorted((a, b) => b.order - a.order)
    .slice(0, WEIGHED);
  const memories = yield* ask(
    'memoriesAt',
    best.map(({ row }) => row),
  );
  const uses = about.signals.uses([...memories.values()].map(({ id }) => id));
  const weighed = best.flatMap(({ row, order, evidence, wording, cosine }): readonly Weighed[] => {
    const memory = memories.get(row);
    if (!memory) return [];
    const use = uses.get(memory.id);
    const weigher = (files?: FilesNow): Hit => {
      const known = { use, ...(files ? { files } : {}) };
      const score = memoryScore(placed(strongest, order, evidence), memory, timed, known);
      const sure = memoryScore(evidence, memory, about, known).score;
      const { changes } = files ?? NOTHING_KNOWN;
      return {
        memory,
        ...withFiles(score, { known: 0, changes }),
        evidence: sure,
        worded: memoryScore(wording, memory, about, known),
        ...given({ cosine }),
        duplicates: [],
        changes,
        cost: entryCost(memory),
      };
    };
    return [{ hit: weigher(), again: weigher }];
  });
  return lookedAt(
    weighed.toSorted((a, b) => byScore(a.hit, b.hit)),
    about,
  );
}

interface Weighed {
  readonly hit: Hit;
  readonly again: (files: FilesNow) => Hit;
}

/** The best are weighed again with how their files are now: too dear to ask for all. */
function lookedAt(weighed: readonly Weighed[], { signals }: Pick<Circumstances, 'signals'>): readonly Hit[] {
  const best = weighed.slice(0, LOOKED_AT).map(({ hit, again }) => again(signals.files(hit.memory)));
  return [...best, ...weighed.slice(LOOKED_AT).map(({ hit }) => hit)].toSorted(byScore);
}

function byScore(a: Hit, b: Hit): number {
  // The last word has the id: rows are numbered anew when the index is.
  return b.score - a.score || b.memory.at.localeCompare(a.memory.at) || (a.memory.id < b.memory.id ? -1 : 1);
}

function signalsOf({ signals, branch }: Pick<SearchOptions, 'signals' | 'branch'>): Signals {
  return signals ?? byNameOnly(branch);
}

export function withoutTime({ since: _since, until: _until, dateWords: _words, ...query }: Query): Query {
  return query;
}

/** The time somebody named in plain words. */
export function plainTime({ since, until, dateWords }: Query): { readonly time?: Span } {
  if (dateWords === undefined) return {};
  return { time: { ...given({ since, until }) } };
}

/** Filters alone ask for a list: newest first, all of equal worth. A query of nothing but stop words asks for nothing. */
function* listed(filter: MemoryFilter, query: Query, signals: Signals): Asking<readonly Hit[]> {
  const { kinds, project, session, file, since, until } = query;
  if (kinds.length === 0 && [project, session, file, since, until].every((value) => value === undefined))
    return [];
  const found = yield* ask('memoriesBy', { ...filter, limit: CANDIDATES });
  return found.map((memory, i) => ({
    memory,
    score: 1,
    evidence: 1,
    worded: { ...NO_SCORE, score: 1 },
    parts: [{ name: 'listed by filter', factor: 1, after: 1 }],
    covered: [],
    duplicates: [],
    changes: i < LOOKED_AT ? signals.files(memory).changes : [],
    cost: entryCost(memory),
  }));
}

export function filterOf(
  index: Answering,
  query: Query,
  options: Pick<SearchOptions, 'project' | 'scope'>,
): MemoryFilter {
  return answered(index, filtering(query, options));
}

function* filtering(query: Query, options: Pick<SearchOptions, 'project' | 'scope'>): Asking<MemoryFilter> {
  const around =
    options.scope === 'project' && options.project !== undefined
      ? [options.project, PERSONAL_PROJECT]
      : undefined;
  const project = (yield* naming(query)) ?? around;
  return {
    ...given({ project }),
    ...(query.kinds.length === 0 ? {} : { kind: query.kinds }),
    ...given({ session: query.session, file: query.file, since: query.since, until: query.until }),
  };
}

/** The ids a query's `project:` means: a name may be that of several. An unknown one finds nothing. */
export function projectsOf(index: Answering, query: Query): readonly string[] | undefined {
  return answered(index, naming(query));
}

function* naming({ project: named }: Query): Asking<readonly string[] | undefined> {
  if (named === undefined) return undefined;
  const known = (yield* ask('projects')).filter(({ id, name }) => id === named || name === named);
  return known.length > 0 ? known.map(({ id }) => id) : [named];
}

/** Words as they stand, a CJK character each: near enough for what is said twice, and ten times as quick as tokens. */
const SAID = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}]+/gu;

/** What is said twice is said in a few sentences; a pasted log of megabytes would be felt. */
const COMPARED_CHARS = 4000;

/** What says the same as a better one is folded into it. Far down nobody looks. */
function collapse(hits: readonly Hit[]): readonly Hit[] {
  const kept: { hit: Hit; said: ReadonlySet<string>; duplicates: string[] }[] = [];
  for (const hit of hits.slice(0, COLLAPSED)) {
    const text = `${hit.memory.title} ${hit.memory.body.slice(0, COMPARED_CHARS)}`;
    const said = new Set(text.toLowerCase().match(SAID) ?? []);
    const same = kept.find((other) => overlap(other.said, said) >= DUPLICATE_OVERLAP);
    if (same) same.duplicates.push(hit.memory.id);
    else kept.push({ hit, said, duplicates: [] });
  }
  return [...kept.map(({ hit, duplicates }) => ({ ...hit, duplicates })), ...hits.slice(COLLAPSED)];
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const token of a) if (b.has(token)) shared++;
  return shared / (a.size + b.size - shared);
}
