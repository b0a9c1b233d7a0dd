/** A question → the sessions it was about: what was remembered of them and what was said in them, best few each. Reads only. */
import { queryWords, tokensOf, type MemoryIndex } from '../index/index.ts';
import { fuse, type By } from './_fuse.ts';
import { relevance, timeFactor, weigh, type WeighedWord } from './_score.ts';
import { filterOf, plainTime, withoutTime, type SearchOptions } from './search.ts';
import { parseQuery } from './query.ts';
import { turnFilterOf } from './turns.ts';
import {
  MEMORY_COLUMN_WEIGHTS,
  SESSION_CANDIDATES,
  SESSION_SHARES,
  SESSION_WHOLE,
  TURN_COLUMN_WEIGHTS,
} from './weights.ts';

export interface SessionFound {
  readonly session: string;
  /** Higher is better; only comparable within one answer. */
  readonly score: number;
  /** What speaks for it, best first. */
  readonly memories: readonly string[];
  readonly turns: readonly string[];
}

const DEFAULT_LIMIT = 10;

/**
 * Entries count as plain BM25 has them, without their neighbours: a session is all of them, and one that speaks of
 * something says it more than once.
 */
export function searchSessions(
  index: MemoryIndex,
  text: string,
  options: Pick<SearchOptions, 'now' | 'project' | 'scope' | 'limit' | 'vector' | 'by'>,
): readonly SessionFound[] {
  const query = parseQuery(text, options.now);
  const vector = options.by === 'words' ? undefined : options.vector;
  const undated = query.dateWords === undefined ? query : withoutTime(query);
  const { time } = plainTime(query);
  const words = queryWords(query.text);
  const asked = words.flatMap(tokensOf);
  const inMemories = weigh(words, index.memoryFrequencies(asked));
  const inTurns = weigh(words, index.turnFrequencies(asked));
  const found = index.candidates({
    tokens: tokensIn(inMemories),
    filters: [filterOf(index, undated, options)],
    limit: SESSION_CANDIDATES,
    weights: MEMORY_COLUMN_WEIGHTS,
    reach: 0,
    ...(vector ? { vector } : {}),
  });
  const memories = index.memoriesAt(found.map(({ row }) => row));
  const remembered = found.map(({ row, bm25, cosine, counts }) => {
    const memory = memories.get(row);
    return {
      id: memory?.id ?? '',
      session: memory?.provenance.session ?? '',
      bm25,
      cosine,
      counts,
      fit: timeFactor(memory?.at ?? '', time),
    };
  });
  const said = index
    .searchTurns(
      tokensIn(inTurns),
      turnFilterOf(index, undated, options.project),
      SESSION_CANDIDATES,
      TURN_COLUMN_WEIGHTS,
      vector,
    )
    .map(({ turn, bm25, cosine }) => ({
      id: turn.id,
      session: turn.session,
      bm25,
      cosine,
      fit: timeFactor(turn.at, time),
    }));

  const [byMemories, byTurns] = [grouped(remembered, options.by), grouped(said, options.by)];
  const wholes = options.by === 'meaning' ? new Map<string, number>() : whole(remembered, inMemories);
  const sessions = [...new Set([...byMemories.keys(), ...byTurns.keys()])].filter(
    (session) => session !== '',
  );
  return sessions
    .map((session) => {
      const [entries, turns] = [byMemories.get(session) ?? [], byTurns.get(session) ?? []];
      return {
        session,
        score: summed(entries) + summed(turns) + SESSION_WHOLE * (wholes.get(session) ?? 0),
        memories: entries.map(({ id }) => id),
        turns: turns.map(({ id }) => id),
      };
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, options.limit ?? DEFAULT_LIMIT);
}

interface Found {
  readonly id: string;
  readonly session: string;
  readonly bm25: number;
  readonly cosine: number | undefined;
  /** How well it fits the time the question names, if it names one. */
  readonly fit: number;
}

interface Speaking {
  readonly id: string;
  readonly session: string;
  readonly score: number;
}

/** The best few of each session, relative to the best of all. */
function grouped(found: readonly Found[], by: By | undefined): ReadonlyMap<string, readonly Speaking[]> {
  const shares = fuse(
    found.map(({ bm25 }) => bm25),
    found.map(({ cosine }) => cosine),
    by,
  );
  const speaking = found.map(({ id, session, fit }, i) => ({
    id,
    session,
    score: (shares[i] ?? 0) * fit,
  }));
  return new Map(
    [...Map.groupBy(speaking, ({ session }) => session)].map(([session, items]) => [
      session,
      items.toSorted((a, b) => b.score - a.score).slice(0, SESSION_SHARES.length),
    ]),
  );
}

/** Each session's entries as one text: how much of the words they hold together, relative to the best. */
function whole(
  found: readonly (Found & { readonly counts: ReadonlyMap<string, number> })[],
  words: readonly WeighedWord[],
): ReadonlyMap<string, number> {
  const held = [...Map.groupBy(found, ({ session }) => session)].map(([session, entries]) => {
    const counts = new Map<string, number>();
    for (const entry of entries)
      for (const token of entry.counts.keys()) counts.set(token, (counts.get(token) ?? 0) + 1);
    const fit = Math.max(...entries.map((entry) => entry.fit));
    return { session, score: fit * relevance(words, { counts, length: 1, near: [] }, 1) };
  });
  const best = Math.max(0, ...held.map(({ score }) => score)) || 1;
  return new Map(held.map(({ session, score }) => [session, score / best]));
}

function tokensIn(words: readonly WeighedWord[]): readonly string[] {
  return [...new Set(words.flatMap(({ word }) => tokensOf(word)))];
}

function summed(items: readonly Speaking[]): number {
  return items.reduce((sum, { score }, i) => sum + score * (SESSION_SHARES[i] ?? 0), 0);
}
