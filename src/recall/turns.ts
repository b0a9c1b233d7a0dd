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
import { secondTier } from './ranking/second-tier.ts';
import { weigh, type By, type ScorePart } from './ranking/score.ts';
import { CANDIDATES, TURN_COLUMN_WEIGHTS, TURNS_BELOW } from './ranking/weights.ts';
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
  const others = candidates.filter(({ turn }) => !options.without?.has(turn.id));
  const about = { words: weighed, ...given({ vector, by: options.by }), ...plainTime(query) };
  return secondTier(
    others.map((hit) => ({ ...hit, at: hit.turn.at })),
    about,
  )
    .slice(0, options.limit ?? DEFAULT_LIMIT)
    .map(({ hit: { turn }, score, parts }) => ({
      turn,
      score,
      parts,
      cost: tokenCost(`${turn.prompt}\n${turn.answer}`),
    }));
}

export function turnFilterOf(index: MemoryIndex, query: Query, project: string | undefined): TurnFilter {
  const projects = projectsOf(index, query) ?? project;
  return given({ project: projects, session: query.session, since: query.since, until: query.until });
}
