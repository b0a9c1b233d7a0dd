/** Searches turns, also those without memories, by the same words. Only reads. */
import { given } from '../core/index.ts';
import {
  queryWords,
  tokensOf,
  type IndexedTurn,
  type MemoryIndex,
  type QueryVector,
  type TurnFilter,
} from '../database/index.ts';
import { tokenCost } from './context/render.ts';
import { parseQuery, type Query } from './query.ts';
import {
  comparable,
  evidenceOf,
  fuse,
  NO_SCORE,
  placed,
  timeFactor,
  weigh,
  withMeaning,
  type By,
  type ScorePart,
} from './ranking/score.ts';
import { CANDIDATES, FLOOR, TURN_COLUMN_WEIGHTS, TURNS_BELOW } from './ranking/weights.ts';
import { plainTime, projectsOf, withoutTime, type Hit } from './search.ts';

export interface TurnFound {
  readonly turn: IndexedTurn;
  readonly score: number;
  readonly parts: readonly ScorePart[];
  /** Tokens of the text in the index, where long answers are shortened. */
  readonly cost: number;
}

interface TurnSearchOptions {
  readonly now: Date;
  readonly project?: string;
  /** Ids of turns to leave out. */
  readonly without?: ReadonlySet<string>;
  readonly limit?: number;
  /** The query as a vector; without one, only words count. */
  readonly vector?: QueryVector;
  readonly by?: By;
}

const DEFAULT_LIMIT = 5;

/** Turns that match a query but are not behind one of the hits: a few, or more if there are no hits. */
export function alsoSaid(
  index: MemoryIndex,
  text: string,
  hits: readonly Hit[],
  options: Omit<TurnSearchOptions, 'without' | 'limit'>,
): readonly TurnFound[] {
  return searchTurns(index, text, {
    ...options,
    without: new Set(hits.map(({ memory }) => memory.provenance.turn)),
    limit: hits.length > 0 ? TURNS_BELOW.some : TURNS_BELOW.none,
  });
}

export function searchTurns(
  index: MemoryIndex,
  text: string,
  options: TurnSearchOptions,
): readonly TurnFound[] {
  const query = parseQuery(text, options.now);
  const words = queryWords(query.text);
  // Turns have no kind and no files; a query of filters alone lists memories.
  if (words.length === 0 || query.kinds.length > 0 || query.file !== undefined) return [];
  const weighed = weigh(words, index.turnFrequencies(words.flatMap(tokensOf)));
  const undated = query.dateWords === undefined ? query : withoutTime(query);
  const vector = options.by === 'words' ? undefined : options.vector;
  const candidates = index.searchTurns(
    [...new Set(weighed.flatMap(({ word }) => tokensOf(word)))],
    turnFilterOf(index, undated, options.project),
    CANDIDATES,
    TURN_COLUMN_WEIGHTS,
    vector,
  );
  const found = comparable(candidates, vector).filter(({ turn }) => !options.without?.has(turn.id));
  const orders = fuse(
    found.map(({ bm25 }) => bm25),
    found.map(({ cosine }) => cosine),
    options.by,
  );
  const evidences = found.map((hit, i) => withMeaning(evidenceOf(weighed, hit, orders[i] ?? 0), hit.cosine));
  const strongest = Math.max(0, ...evidences.map(({ score }) => score));
  const { time } = plainTime(query);
  return found
    .map(({ turn }, i) => {
      const place = placed(strongest, orders[i] ?? 0, evidences[i] ?? NO_SCORE);
      const score = place.score * timeFactor(turn.at, time);
      return { turn, parts: place.parts, score, cost: tokenCost(`${turn.prompt}\n${turn.answer}`) };
    })
    .filter(({ score }) => score >= FLOOR.search)
    .toSorted((a, b) => b.score - a.score || b.turn.at.localeCompare(a.turn.at))
    .slice(0, options.limit ?? DEFAULT_LIMIT);
}

export function turnFilterOf(index: MemoryIndex, query: Query, project: string | undefined): TurnFilter {
  const projects = projectsOf(index, query) ?? project;
  return given({ project: projects, session: query.session, since: query.since, until: query.until });
}
