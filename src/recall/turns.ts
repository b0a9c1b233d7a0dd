/** The second tier: turns that were never distilled, found by the same words. Reads the index, writes nothing. */
import { queryWords, tokensOf, type IndexedTurn, type MemoryIndex } from '../index/index.ts';
import { textScore, weigh, type ScorePart } from './_score.ts';
import { parseQuery } from './query.ts';
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
  const filter = {
    ...(options.project === undefined ? {} : { project: options.project }),
    ...(query.session === undefined ? {} : { session: query.session }),
    ...(query.since === undefined ? {} : { since: query.since }),
    ...(query.until === undefined ? {} : { until: query.until }),
  };
  const found = index.searchTurns(tokens, filter, CANDIDATES, TURN_COLUMN_WEIGHTS);
  const best = Math.max(0, ...found.map(({ bm25 }) => bm25));
  return found
    .map(({ turn, bm25, matched }) => ({ turn, ...textScore(weighed, matched, bm25, best) }))
    .filter(({ score }) => score >= (options.floor ?? FLOOR.search))
    .toSorted((a, b) => b.score - a.score || b.turn.at.localeCompare(a.turn.at))
    .slice(0, options.limit ?? DEFAULT_LIMIT);
}
