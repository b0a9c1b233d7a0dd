/**
 * Searches turns by words and meaning. The turns before and after count a little, and of two sessions that answer the
 * same question the later one comes first. Only reads.
 */
import { given } from '../core/index.ts';
import {
  queryWords,
  tokensOf,
  type IndexedTurn,
  type MemoryIndex,
  type QueryVector,
} from '../database/index.ts';
import { tokenCost } from './context/render.ts';
import { leadingSession } from './leading-session.ts';
import { parseQuery } from './query.ts';
import { haveSameWords } from './ranking/same-question.ts';
import { relative, weigh, type By, type ScorePart, type WeighedWord } from './ranking/score.ts';
import { secondTier, type Scored } from './ranking/second-tier.ts';
import {
  CANDIDATES,
  FLOOR,
  NEAR_WEIGHTS,
  SAME_QUESTION,
  TURN_AFTER,
  TURN_COLUMN_WEIGHTS,
  TURN_SESSIONS,
  TURNS_BELOW,
} from './ranking/weights.ts';
import { plainTime, turnFilterOf, withoutTime, type Hit } from './search.ts';

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
  readonly limit?: number;
  /** The query as a vector; without one, only words count. */
  readonly vector?: QueryVector;
  readonly by?: By;
}

const DEFAULT_LIMIT = 5;

/** Turns that match a query: a few, or more if there are no hits. The turn of a hit counts too: it says more than its memory. */
export function alsoSaid(
  index: MemoryIndex,
  text: string,
  hits: readonly Hit[],
  options: Omit<TurnSearchOptions, 'limit'>,
): readonly TurnFound[] {
  return searchTurns(index, text, {
    ...options,
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
  // Turns have no kind, state or files; a query of filters alone lists memories.
  if (words.length === 0 || query.kinds.length + query.states.length > 0 || query.file !== undefined)
    return [];
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
  const near = (orders: readonly number[]) => besideEachOther(index, candidates, orders);
  const about = { words: weighed, near, ...given({ vector, by: options.by }), ...plainTime(query) };
  const ranked = secondTier(
    candidates.map((hit) => ({ ...hit, at: hit.turn.at })),
    about,
  );
  const leading =
    options.project === undefined ? undefined : leadingIn(index, text, options.project, options);
  return withEnd(laterFirst(ranked, weighed), leading)
    .slice(0, options.limit ?? DEFAULT_LIMIT)
    .map(({ hit: { turn }, score, parts }) => ({
      turn,
      score,
      parts,
      cost: tokenCost(`${turn.prompt}\n${turn.answer}`),
    }));
}

/** Raises turns beside others that match, in the best sessions: what was said before and after tells the topic. */
function besideEachOther(
  index: MemoryIndex,
  found: readonly { readonly turn: IndexedTurn }[],
  orders: readonly number[],
): readonly number[] {
  const own = new Map(found.map(({ turn }, i) => [turn.id, orders[i] ?? 0]));
  const sorted = found.toSorted((a, b) => (own.get(b.turn.id) ?? 0) - (own.get(a.turn.id) ?? 0));
  const sessions = [...new Set(sorted.map(({ turn }) => turn.session))].slice(0, TURN_SESSIONS);
  const near = new Map(
    sessions.flatMap((session) => {
      const ids = index.turnsIn(session).map(({ id }) => id);
      const orderAt = (at: number): number => own.get(ids[at] ?? '') ?? 0;
      const nearAt = (at: number): number =>
        NEAR_WEIGHTS.reduce((sum, weight, i) => {
          const [before, after] = [orderAt(at - i - 1), orderAt(at + i + 1)];
          return sum + weight * (before + TURN_AFTER * after);
        }, 0);
      return ids.map((id, at) => [id, nearAt(at)] as const);
    }),
  );
  return relative(found.map(({ turn }, i) => (orders[i] ?? 0) + (near.get(turn.id) ?? 0)));
}

/** The last turn of the session that clearly leads, if one does. */
function leadingIn(
  index: MemoryIndex,
  text: string,
  project: string,
  { now, vector, by }: TurnSearchOptions,
): IndexedTurn | undefined {
  const asked = by === 'words' ? {} : given({ vector });
  const found = leadingSession(index, text, { project, now, without: new Set(), ...asked });
  return found && found.score >= FLOOR.prompt ? found.turns.at(-1) : undefined;
}

/** Lists the end of the leading session after the best turn: what was settled is said there. */
function withEnd(ranked: readonly Ranked[], end: IndexedTurn | undefined): readonly Ranked[] {
  const place = ranked.findIndex(({ hit }) => hit.turn.id === end?.id);
  const [best, ...others] = ranked;
  const last = ranked[place];
  if (last === undefined || best === undefined || place < TURNS_BELOW.some) return ranked;
  return [best, last, ...others.filter((one) => one !== last)];
}

type Ranked = Scored<{ readonly turn: IndexedTurn }>;

/** Of turns in different sessions that answer the same question, the latest comes first. */
function laterFirst(ranked: readonly Ranked[], words: readonly WeighedWord[]): readonly Ranked[] {
  const left = [...ranked];
  const ordered: Ranked[] = [];
  for (let first = left.shift(); first !== undefined; first = left.shift()) {
    const { turn } = first.hit;
    const { score, covered } = first;
    const later = left
      .filter(
        (other) =>
          other.hit.turn.session !== turn.session &&
          other.hit.turn.at > turn.at &&
          other.score >= SAME_QUESTION.score * score &&
          haveSameWords(covered, other.covered, words),
      )
      .toSorted((a, b) => b.hit.turn.at.localeCompare(a.hit.turn.at));
    ordered.push(...later, first);
    for (const other of later) left.splice(left.indexOf(other), 1);
  }
  return ordered;
}
