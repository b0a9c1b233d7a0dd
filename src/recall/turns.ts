/** The second tier: turns that were never distilled, found by the same words. Reads the index, writes nothing. */
import {
  queryWords,
  tokensOf,
  type IndexedTurn,
  type MemoryIndex,
  type QueryVector,
  type TurnFilter,
} from '../index/index.ts';
import { fuse, type By } from './_fuse.ts';
import { evidenceOf, NO_SCORE, placed, weigh, withMeaning, type ScorePart } from './_score.ts';
import { parseQuery, type Query } from './query.ts';
import { CANDIDATES, FLOOR, TURN_COLUMN_WEIGHTS } from './weights.ts';

export interface TurnFound {
  readonly turn: IndexedTurn;
  readonly score: number;
  readonly parts: readonly ScorePart[];
}

export interface TurnSearchOptions {
  readonly now: Date;
  readonly project?: string;
  readonly limit?: number;
  readonly floor?: number;
  /** The question as a vector; without one, words alone decide. */
  readonly vector?: QueryVector;
  readonly by?: By;
}

const DEFAULT_LIMIT = 5;

export function searchTurns(
  index: MemoryIndex,
  text: string,
  options: TurnSearchOptions,
): readonly TurnFound[] {
  const query = parseQuery(text, options.now);
  const words = queryWords(query.text);
  const weighed = weigh(words, index.turnFrequencies(words.flatMap(tokensOf)));
  const tokens = [...new Set(weighed.flatMap(({ word }) => tokensOf(word)))];
  const found = index.searchTurns(
    tokens,
    turnFilterOf(query, options.project),
    CANDIDATES,
    TURN_COLUMN_WEIGHTS,
  );
  const orders = fuse(
    found.map(({ bm25 }) => bm25),
    found.map(({ cosine }) => cosine),
    options.by,
  );
  const evidences = found.map((hit, i) => withMeaning(evidenceOf(weighed, hit, orders[i] ?? 0), hit.cosine));
  const strongest = Math.max(0, ...evidences.map(({ score }) => score));
  return found
    .map(({ turn }, i) => ({ turn, ...placed(strongest, orders[i] ?? 0, evidences[i] ?? NO_SCORE) }))
    .filter(({ score }) => score >= (options.floor ?? FLOOR.search))
    .toSorted((a, b) => b.score - a.score || b.turn.at.localeCompare(a.turn.at))
    .slice(0, options.limit ?? DEFAULT_LIMIT);
}

export function turnFilterOf(query: Query, project: string | undefined): TurnFilter {
  return {
    ...(project === undefined ? {} : { project }),
    ...(query.session === undefined ? {} : { session: query.session }),
    ...(query.since === undefined ? {} : { since: query.since }),
    ...(query.until === undefined ? {} : { until: query.until }),
  };
}
