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
import { likenessOfTalk, topicTokens } from '../memory/index.ts';
import { tokenCost } from './context/render.ts';
import { changedLater } from './changed-later.ts';
import { leadingSession } from './leading-session.ts';
import { parseQuery } from './query.ts';
import {
  haveSameWords,
  relative,
  weigh,
  type By,
  type ScorePart,
  type WeighedWord,
} from './ranking/score.ts';
import { secondTier, type Scored } from './ranking/second-tier.ts';
import {
  BESIDE,
  CANDIDATES,
  FLOOR,
  NEAR_WEIGHTS,
  SAID_LATER,
  SAME_QUESTION,
  TURN_AFTER,
  TURN_COLUMN_WEIGHTS,
  TURN_SESSIONS,
  TURNS_BELOW,
} from './ranking/weights.ts';
import { talkAround } from './said-later.ts';
import { turnFilterOf, type Hit } from './search.ts';

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
  const vector = options.by === 'words' ? undefined : options.vector;
  const candidates = index.searchTurns(
    [...new Set(weighed.flatMap(({ word }) => tokensOf(word)))],
    turnFilterOf(index, query, options.project),
    CANDIDATES,
    TURN_COLUMN_WEIGHTS,
    vector,
  );
  const near = (orders: readonly number[]) => besideEachOther(index, candidates, orders);
  const about = { words: weighed, near, ...given({ by: options.by }) };
  const ranked = secondTier(
    candidates.map((hit) => ({ ...hit, at: hit.turn.at })),
    about,
  );
  const leading =
    options.project === undefined ? undefined : leadingIn(index, text, options.project, options);
  const limit = options.limit ?? DEFAULT_LIMIT;
  const ordered = withEnd(laterFirst(ranked, weighed), leading);
  return withChanges(index, withLater(index, ordered), weighed, limit)
    .slice(0, limit)
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
  { vector, by }: Pick<TurnSearchOptions, 'vector' | 'by'>,
): IndexedTurn | undefined {
  const asked = by === 'words' ? {} : given({ vector });
  const found = leadingSession(index, text, { project, without: new Set(), ...asked });
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

/** Lists a later turn of another session that is about the same beside each of the first turns. */
function withLater(index: MemoryIndex, ranked: readonly Ranked[]): readonly Ranked[] {
  const compared = ranked.slice(0, BESIDE.compared);
  const talks = new Map(compared.map((one) => [one, topicTokens(talkAround(index, one.hit.turn))]));
  const frequencies = index.turnFrequencies(new Set([...talks.values()].flatMap((talk) => [...talk])));
  const likeness = (a: Ranked, b: Ranked): number =>
    likenessOfTalk(talks.get(a) ?? NO_TALK, talks.get(b) ?? NO_TALK, frequencies);
  const left = [...ranked];
  const ordered: Ranked[] = [];
  for (let n = 0; n < BESIDE.first; n++) {
    const one = left.shift();
    if (one === undefined) break;
    const [later] = left
      .filter((other) => talks.has(other) && isLater(other, one) && other.score >= BESIDE.score * one.score)
      .map((other) => ({ other, like: likeness(one, other) }))
      .filter(({ like }) => like >= SAID_LATER.like)
      .filter(({ other }) => index.memoriesBy({ turn: other.hit.turn.id, limit: 1 }).length > 0)
      .toSorted((a, b) => b.like - a.like);
    ordered.push(one, ...(later ? left.splice(left.indexOf(later.other), 1) : []));
  }
  return [...ordered, ...left];
}

const NO_TALK: ReadonlySet<string> = new Set();

function isLater({ hit: { turn: a } }: Ranked, { hit: { turn: b } }: Ranked): boolean {
  return a.session !== b.session && a.at > b.at;
}

/** Lists the turn that changed a decision later before the turn that made it. */
function withChanges(
  index: MemoryIndex,
  ranked: readonly Ranked[],
  words: readonly WeighedWord[],
  limit: number,
): readonly Ranked[] {
  const listed = new Map<string, Ranked>();
  for (const one of ranked.slice(0, limit)) {
    const change = listed.has(one.hit.turn.id) ? undefined : changedLater(index, one.hit.turn, words);
    if (change && !listed.has(change.id)) {
      const known = ranked.find(({ hit }) => hit.turn.id === change.id);
      listed.set(change.id, known ?? { ...one, hit: { turn: change } });
    }
    if (!listed.has(one.hit.turn.id)) listed.set(one.hit.turn.id, one);
  }
  return [...listed.values()];
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
