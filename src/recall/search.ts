/** Searches memories and ranks them, with the reasons for each place. The same for the embedded index and the team's database. */
import { suggest } from '../config/index.ts';
import { given, isLive, PERSONAL_PROJECT, type Agent, type Memory } from '../core/index.ts';
import {
  queryWords,
  tokensOf,
  type Candidate,
  type MemoryFilter,
  type MemoryIndex,
  type QueryVector,
  type TurnFilter,
} from '../database/index.ts';
import { areAboutSame } from '../memory/index.ts';
import { entryCost } from './context/render.ts';
import { parseQuery, parseTalk, type Query } from './query.ts';
import {
  answered,
  answeredLater,
  ask,
  type Asking,
  type MemoryStore,
  type SyncStore,
} from './ranking/asking.ts';
import {
  evidenceOf,
  fuse,
  memoryScore,
  NO_SCORE,
  placed,
  relevance,
  weigh,
  withFiles,
  withMeaning,
  type By,
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
  /** The current project, whose memories rank higher. */
  readonly project?: string;
  /** `project`: only that project and the personal one. */
  readonly scope?: 'project' | 'everywhere';
  readonly branch?: string;
  /** Without them only the name of the branch counts. */
  readonly signals?: Signals;
  readonly limit?: number;
  readonly floor?: number;
  /** The query as a vector; without one, only words count. */
  readonly vector?: QueryVector;
  readonly by?: By;
  /** A list for reading: what was resolved or superseded comes after everything in force. */
  readonly endedLast?: boolean;
  /** The text is a prompt: what looks like a filter (`file:`, `kind:`) is part of it. */
  readonly talk?: boolean;
}

export interface Hit {
  readonly memory: Memory;
  /** Between 0 and 1: its place in the order, relative to the strongest evidence. */
  readonly score: number;
  /** Between 0 and 1: how sure it is that this memory answers, from its own text. Used by the gate. */
  readonly evidence: number;
  /** The evidence of its words alone. */
  readonly worded: Score;
  /** Nearness in meaning, if both have a vector. */
  readonly cosine?: number;
  readonly parts: readonly ScorePart[];
  /** The words of the query it contains. */
  readonly covered: readonly string[];
  /** Duplicates that were folded into this one. */
  readonly duplicates: readonly string[];
  /** Its files that changed; checked for the best hits only. */
  readonly changes: readonly FileChange[];
  /** Tokens of the complete entry. */
  readonly cost: number;
}

export interface SearchResult {
  readonly query: Query;
  readonly hits: readonly Hit[];
  /** All candidates, also below the floor; best first. */
  readonly considered: readonly Hit[];
}

const DEFAULT_LIMIT = 10;

export function search(index: SyncStore, text: string, options: SearchOptions): SearchResult {
  return answered(index, searching(text, options));
}

/** The same in an asynchronous store. */
export function searchStore(store: MemoryStore, text: string, options: SearchOptions): Promise<SearchResult> {
  return answeredLater(store, searching(text, options));
}

function* searching(text: string, options: SearchOptions): Asking<SearchResult> {
  const query = options.talk ? parseTalk(text) : parseQuery(text, options.now);
  const considered = collapse(yield* candidates(query, options));
  const { floor = FLOOR.search, limit = DEFAULT_LIMIT } = options;
  const above = considered.filter(({ score }) => score >= floor);
  return { query, hits: (options.endedLast ? endedLast(above) : above).slice(0, limit), considered };
}

function endedLast(hits: readonly Hit[]): readonly Hit[] {
  const { live = [], ended = [] } = Object.groupBy(hits, ({ memory }) => (isLive(memory) ? 'live' : 'ended'));
  return [...live, ...ended];
}

function* candidates(query: Query, options: SearchOptions): Asking<readonly Hit[]> {
  const filter = yield* filtering(query, options);
  const words = queryWords(query.text);
  if (words.length === 0) return yield* listed(filter, query, signalsOf(options));

  const weighed = weigh(words, yield* ask('memoryFrequencies', words.flatMap(tokensOf)));
  const tokens = [...new Set(weighed.flatMap(({ word }) => tokensOf(word)))];
  // The project gets its own candidates, so that a larger project cannot crowd them out.
  const { project } = options;
  const own = project && filter.project === undefined ? [{ ...filter, project }] : [];
  const found = yield* ask('candidates', {
    tokens,
    filters: [filter, ...own],
    limit: CANDIDATES,
    weights: MEMORY_COLUMN_WEIGHTS,
    reach: NEAR_WEIGHTS.length,
    nearest: NEAREST,
    ...(options.vector && options.by !== 'words' ? { vector: options.vector } : {}),
  });
  return yield* ranked(found, weighed, query, options);
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
  // The evidence of an entry must not depend on its neighbours.
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
  const openedIn = about.signals.opened([...memories.values()].map(({ id }) => id));
  const weighed = best.flatMap(({ row, order, evidence, wording, cosine }): readonly Weighed[] => {
    const memory = memories.get(row);
    if (!memory) return [];
    const opened = openedIn.get(memory.id);
    const weigher = (files?: FilesNow): Hit => {
      const known = { opened, ...given({ files }) };
      const score = memoryScore(placed(strongest, order, evidence), memory, about, known);
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

/** Scores the best again with the state of their files, which is too expensive for all. */
function lookedAt(weighed: readonly Weighed[], { signals }: Pick<Circumstances, 'signals'>): readonly Hit[] {
  const best = weighed.slice(0, LOOKED_AT).map(({ hit, again }) => again(signals.files(hit.memory)));
  return [...best, ...weighed.slice(LOOKED_AT).map(({ hit }) => hit)].toSorted(byScore);
}

function byScore(a: Hit, b: Hit): number {
  // The id decides last, because row numbers change when the index is rebuilt.
  return b.score - a.score || b.memory.at.localeCompare(a.memory.at) || (a.memory.id < b.memory.id ? -1 : 1);
}

function signalsOf({ signals, branch }: Pick<SearchOptions, 'signals' | 'branch'>): Signals {
  return signals ?? byNameOnly(branch);
}

/** A query of filters alone lists the newest memories, all with score 1. A query of stop words finds nothing. */
function* listed(filter: MemoryFilter, query: Query, signals: Signals): Asking<readonly Hit[]> {
  const { kinds, states, agents, project, session, file, since, until } = query;
  if (
    kinds.length + states.length + agents.length === 0 &&
    [project, session, file, since, until].every((value) => value === undefined)
  )
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
  index: SyncStore,
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
    ...(query.states.length === 0 ? {} : { state: query.states }),
    ...agentOf(query),
    ...given({ session: query.session, file: query.file, since: query.since, until: query.until }),
  };
}

function agentOf({ agents }: Query): { readonly agent?: readonly Agent[] } {
  return agents.length === 0 ? {} : { agent: agents };
}

/** The project ids of a query's `project:`; several projects may have the same name. An unknown name finds nothing. */
export function projectsOf(index: SyncStore, query: Query): readonly string[] | undefined {
  return answered(index, naming(query));
}

function* naming({ project: named }: Query): Asking<readonly string[] | undefined> {
  if (named === undefined) return undefined;
  const known = (yield* ask('projects')).filter(({ id, name }) => id === named || name === named);
  return known.length > 0 ? known.map(({ id }) => id) : [named];
}

export function turnFilterOf(index: MemoryIndex, query: Query, project: string | undefined): TurnFilter {
  const projects = projectsOf(index, query) ?? project;
  const { session, since, until } = query;
  return { ...given({ project: projects, session, since, until }), ...agentOf(query) };
}

/** Adds a problem for `project:` with an unknown name, with a suggestion. */
export function withProblems<T extends Pick<SearchResult, 'query'>>(index: MemoryIndex, found: T): T {
  const { project: named, problems } = found.query;
  if (named === undefined || named === PERSONAL_PROJECT) return found;
  const known = index.projects().flatMap(({ id, name }) => [name, id]);
  if (known.includes(named)) return found;
  const near = suggest(named, known);
  const problem = `project:${named}: no project has this name${near ? `, did you mean project:${near}?` : ' or id'}`;
  return { ...found, query: { ...found.query, problems: [...problems, problem] } };
}

/** Plain words, and single CJK characters: good enough to find duplicates, and ten times faster than tokens. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}]+/gu;

/** Characters compared: a memory is a few sentences, but may contain a pasted log of megabytes. */
const COMPARED_CHARS = 4000;

/** Folds hits that say the same about the same thing into the better one, among the best ones. */
function collapse(hits: readonly Hit[]): readonly Hit[] {
  const distinct: { hit: Hit; said: Said; words: ReadonlySet<string>; duplicates: string[] }[] = [];
  for (const hit of hits.slice(0, COLLAPSED)) {
    const said = { title: hit.memory.title, body: hit.memory.body.slice(0, COMPARED_CHARS) };
    const words = new Set(`${said.title} ${said.body}`.toLowerCase().match(WORD) ?? []);
    const same = distinct.find(
      (other) => overlap(other.words, words) >= DUPLICATE_OVERLAP && areAboutSame(other.said, said),
    );
    if (same) same.duplicates.push(hit.memory.id);
    else distinct.push({ hit, said, words, duplicates: [] });
  }
  return [...distinct.map(({ hit, duplicates }) => ({ ...hit, duplicates })), ...hits.slice(COLLAPSED)];
}

type Said = Pick<Memory, 'title' | 'body'>;

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const token of a) if (b.has(token)) shared++;
  return shared / (a.size + b.size - shared);
}
