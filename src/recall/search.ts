/** A question → ranked memories, each with the reasons for its place. Reads the index, writes nothing. */
import {
  indexText,
  queryWords,
  tokensOf,
  type MemoryFilter,
  type MemoryHit,
  type MemoryIndex,
} from '../index/index.ts';
import { PERSONAL_PROJECT, type Memory } from '../model/index.ts';
import { memoryScore, textScore, weigh, type ScorePart, type WeighedWord } from './_score.ts';
import { entryCost } from './_render.ts';
import { parseQuery, type Query } from './query.ts';
import { CANDIDATES, DUPLICATE_OVERLAP, FLOOR, MEMORY_COLUMN_WEIGHTS } from './weights.ts';

export interface SearchOptions {
  readonly now: Date;
  /** The project asked from: its memories come first. */
  readonly project?: string;
  /** `project`: only that project and the personal one. */
  readonly scope?: 'project' | 'everywhere';
  readonly branch?: string;
  readonly limit?: number;
  readonly floor?: number;
  /** A time that was only mentioned counts as long as it leaves something to find. For prompts. */
  readonly softDates?: boolean;
}

export interface Hit {
  readonly memory: Memory;
  /** Between 0 and 1; see `textScore`. */
  readonly score: number;
  readonly parts: readonly ScorePart[];
  /** The words of the query it covers. */
  readonly covered: readonly string[];
  /** Memories that say the same and were folded into this one. */
  readonly duplicates: readonly string[];
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

export function search(index: MemoryIndex, text: string, options: SearchOptions): SearchResult {
  const query = parseQuery(text, options.now);
  const considered = collapse(candidates(index, query, options));
  const floor = options.floor ?? FLOOR.search;
  const hits = considered.filter(({ score }) => score >= floor).slice(0, options.limit ?? DEFAULT_LIMIT);
  if (hits.length > 0 || !options.softDates || query.dateWords === undefined)
    return { query, hits, considered };

  const { since: _since, until: _until, dateWords: _words, ...undated } = query;
  const again = collapse(candidates(index, undated, options));
  return {
    query: undated,
    hits: again.filter(({ score }) => score >= floor).slice(0, options.limit ?? DEFAULT_LIMIT),
    considered: again,
  };
}

function candidates(index: MemoryIndex, query: Query, options: SearchOptions): readonly Hit[] {
  const filter = filterOf(index, query, options);
  const words = queryWords(query.text);
  if (words.length === 0) return listed(index, filter, query);

  const weighed = weigh(words, index.memoryFrequencies(words.flatMap(tokensOf)));
  const tokens = [...new Set(weighed.flatMap(({ word }) => tokensOf(word)))];
  const everywhere = index.searchMemories(tokens, filter, CANDIDATES, MEMORY_COLUMN_WEIGHTS);
  // The project's own are taken as deep again, so that a bigger neighbour cannot crowd them out.
  const own =
    options.project && filter.project === undefined
      ? index.searchMemories(
          tokens,
          { ...filter, project: options.project },
          CANDIDATES,
          MEMORY_COLUMN_WEIGHTS,
        )
      : [];
  return ranked([...own, ...everywhere], weighed, query, options);
}

function ranked(
  found: readonly MemoryHit[],
  words: readonly WeighedWord[],
  query: Query,
  options: SearchOptions,
): readonly Hit[] {
  const best = Math.max(0, ...found.map(({ bm25 }) => bm25));
  const about = {
    now: options.now,
    project: options.project,
    branch: options.branch,
    files: query.mentioned,
  };
  const hits = new Map<string, Hit>();
  for (const { memory, bm25, matched } of found) {
    if (hits.has(memory.id)) continue;
    const score = memoryScore(textScore(words, matched, bm25, best), memory, about);
    hits.set(memory.id, { memory, ...score, duplicates: [], cost: entryCost(memory) });
  }
  return [...hits.values()].toSorted((a, b) => b.score - a.score || b.memory.at.localeCompare(a.memory.at));
}

/** Filters alone ask for a list: newest first, all of equal worth. A query of nothing but stop words asks for nothing. */
function listed(index: MemoryIndex, filter: MemoryFilter, query: Query): readonly Hit[] {
  const { kinds, project, session, file, since, until } = query;
  if (kinds.length === 0 && [project, session, file, since, until].every((value) => value === undefined))
    return [];
  const found = index.memoriesBy({ ...filter, limit: CANDIDATES });
  return found.map((memory) => ({
    memory,
    score: 1,
    parts: [{ name: 'listed by filter', factor: 1, after: 1 }],
    covered: [],
    duplicates: [],
    cost: entryCost(memory),
  }));
}

function filterOf(index: MemoryIndex, query: Query, options: SearchOptions): MemoryFilter {
  const named = query.project;
  const ids =
    named === undefined ? [] : index.projects().filter(({ id, name }) => id === named || name === named);
  const project =
    named !== undefined
      ? ids.length > 0
        ? ids.map(({ id }) => id)
        : named
      : options.scope === 'project' && options.project !== undefined
        ? [options.project, PERSONAL_PROJECT]
        : undefined;
  return {
    ...(project === undefined ? {} : { project }),
    ...(query.kinds.length === 0 ? {} : { kind: query.kinds }),
    ...(query.session === undefined ? {} : { session: query.session }),
    ...(query.file === undefined ? {} : { file: query.file }),
    ...(query.since === undefined ? {} : { since: query.since }),
    ...(query.until === undefined ? {} : { until: query.until }),
  };
}

/** What says the same as a better one is folded into it. */
function collapse(hits: readonly Hit[]): readonly Hit[] {
  const kept: { hit: Hit; said: ReadonlySet<string>; duplicates: string[] }[] = [];
  for (const hit of hits) {
    const said = new Set(indexText(`${hit.memory.title} ${hit.memory.body}`).split(' '));
    const same = kept.find((other) => overlap(other.said, said) >= DUPLICATE_OVERLAP);
    if (same) same.duplicates.push(hit.memory.id);
    else kept.push({ hit, said, duplicates: [] });
  }
  return kept.map(({ hit, duplicates }) => ({ ...hit, duplicates }));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((token) => b.has(token)).length;
  return shared / (a.size + b.size - shared);
}
