/** Searches sessions by their memories and turns. Only reads. */
import { given } from '../core/index.ts';
import { queryWords, tokensOf, type MemoryIndex, type TurnHit } from '../database/index.ts';
import { parseQuery } from './query.ts';
import { fuse, relative, relevance, weigh, type By, type WeighedWord } from './ranking/score.ts';
import {
  MEMORY_COLUMN_WEIGHTS,
  SESSION_CANDIDATES,
  SESSION_SHARES,
  SESSION_WHOLE,
  TURN_COLUMN_WEIGHTS,
} from './ranking/weights.ts';
import { filterOf, turnFilterOf, type SearchOptions } from './search.ts';

interface SessionFound {
  readonly session: string;
  /** Higher is better; only comparable within one result. */
  readonly score: number;
  /** The matching memories and turns, best first. */
  readonly memories: readonly string[];
  readonly turns: readonly string[];
}

const DEFAULT_LIMIT = 10;

/** Entries count by plain BM25 without their neighbours, because a session consists of all of them. */
export function searchSessions(
  index: MemoryIndex,
  text: string,
  options: Pick<SearchOptions, 'now' | 'project' | 'scope' | 'limit' | 'vector' | 'by'>,
): readonly SessionFound[] {
  const query = parseQuery(text, options.now);
  const vector = options.by === 'words' ? undefined : options.vector;
  const words = queryWords(query.text);
  const asked = words.flatMap(tokensOf);
  const inMemories = weigh(words, index.memoryFrequencies(asked));
  const inTurns = weigh(words, index.turnFrequencies(asked));
  const found = index.candidates({
    tokens: tokensIn(inMemories),
    filters: [filterOf(index, query, options)],
    limit: SESSION_CANDIDATES,
    weights: MEMORY_COLUMN_WEIGHTS,
    reach: 0,
    ...given({ vector }),
  });
  const memories = index.memoriesAt(found.map(({ row }) => row));
  const fromMemories = found.map(({ row, bm25, cosine, counts }) => {
    const memory = memories.get(row);
    return {
      id: memory?.id ?? '',
      session: memory?.provenance.session ?? '',
      bm25,
      cosine,
      counts,
    };
  });
  const turns = index.searchTurns(
    tokensIn(inTurns),
    turnFilterOf(index, query, options.project),
    SESSION_CANDIDATES,
    TURN_COLUMN_WEIGHTS,
    vector,
  );
  const fromTurns = turns.map(spokenIn);

  const byMemories = grouped(fromMemories, inMemories, options.by);
  const byTurns = grouped(fromTurns, inTurns, options.by);
  const sessions = [...new Set([...byMemories.keys(), ...byTurns.keys()])].filter(
    (session) => session !== '',
  );
  return sessions
    .map((session) => {
      const [entries, spoken] = [byMemories.get(session) ?? NOTHING, byTurns.get(session) ?? NOTHING];
      return { session, score: entries.score + spoken.score, memories: entries.best, turns: spoken.best };
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, options.limit ?? DEFAULT_LIMIT);
}

/** A turn that matches, as a part of its session. */
export function spokenIn({ turn, bm25, cosine, counts }: TurnHit): Found {
  return { id: turn.id, session: turn.session, bm25, cosine, counts };
}

interface Found {
  readonly id: string;
  readonly session: string;
  readonly bm25: number;
  readonly cosine: number | undefined;
  readonly counts: ReadonlyMap<string, number>;
}

/** Score of one session by its entries or turns. */
export interface SessionScore {
  readonly score: number;
  /** Ids, best first. */
  readonly best: readonly string[];
}

const NOTHING: SessionScore = { score: 0, best: [] };

/** Scores each session by its best few items, relative to the best of all, and by all of them together. */
export function grouped(
  found: readonly Found[],
  words: readonly WeighedWord[],
  by?: By,
): ReadonlyMap<string, SessionScore> {
  const shares = fuse(
    found.map(({ bm25 }) => bm25),
    found.map(({ cosine }) => cosine),
    by,
  );
  const scored = found.map((one, i) => ({ ...one, score: shares[i] ?? 0 }));
  const sessions = [...Map.groupBy(scored, ({ session }) => session)];
  const items = sessions.map(([, found]) => found);
  const totals = by === 'meaning' ? [] : completeTexts(items, words);
  return new Map(
    sessions.map(([session, ofSession], i) => {
      const best = ofSession.toSorted((a, b) => b.score - a.score).slice(0, SESSION_SHARES.length);
      const summed = best.reduce((sum, { score }, place) => sum + score * (SESSION_SHARES[place] ?? 0), 0);
      const score = summed + SESSION_WHOLE.weight * (totals[i] ?? 0);
      return [session, { score, best: best.map(({ id }) => id) }];
    }),
  );
}

/** Relevance of each session as one text, relative to the best. */
function completeTexts(
  sessions: readonly (readonly Found[])[],
  words: readonly WeighedWord[],
): readonly number[] {
  const lengths = sessions.map((items) => items.filter(({ bm25 }) => bm25 > 0).length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return relative(
    sessions.map((items, i) => {
      const counts = new Map<string, number>();
      for (const item of items)
        for (const token of item.counts.keys()) counts.set(token, (counts.get(token) ?? 0) + 1);
      const text = { counts, length: lengths[i] ?? 0, near: [] };
      return relevance(words, text, average, SESSION_WHOLE.byLength);
    }),
  );
}

function tokensIn(words: readonly WeighedWord[]): readonly string[] {
  return [...new Set(words.flatMap(({ word }) => tokensOf(word)))];
}
