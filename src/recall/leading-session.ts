/**
 * Finds the one past session that a prompt is about, if it clearly leads all others. A logistic model of three signs; its
 * weights are in weights.ts. Only reads.
 */
import {
  queryWords,
  tokensOf,
  type IndexedTurn,
  type MemoryIndex,
  type QueryVector,
  type TurnHit,
} from '../database/index.ts';
import { changedLater } from './changed-later.ts';
import { isAside } from './ranking/aside.ts';
import { chance } from './ranking/gate.ts';
import { haveSameWords, massOf, evidenceOf, weigh, type WeighedWord } from './ranking/score.ts';
import { LEADING, SAME_QUESTION, SESSION_CANDIDATES, TURN_COLUMN_WEIGHTS } from './ranking/weights.ts';
import { grouped, spokenIn } from './sessions.ts';

interface LeadingOptions {
  readonly project: string;
  /** Sessions to leave out: the current one, and those injected before. */
  readonly without: ReadonlySet<string>;
  /** The prompt as a vector, if it was ready in time. */
  readonly vector?: QueryVector;
}

export interface Leading {
  readonly session: string;
  /** Between 0 and 1: how likely the prompt is about it. */
  readonly score: number;
  readonly signs: {
    /** How much of the prompt it contains, between 0 and 1. */
    readonly words: number;
    /** The distance to the next session that answers something else, between 0 and 1. */
    readonly lead: number;
    /** The logarithm of the weight of the words it contains. */
    readonly mass: number;
  };
  /** The words of the prompt that it contains. */
  readonly covered: readonly string[];
  /** Its turns around those that match, without subagents, oldest first; all of them in a short session. */
  readonly turns: readonly IndexedTurn[];
  /** The session that leads by its words; this one changed later what was decided there. */
  readonly changes?: string;
}

interface Rival {
  readonly session: string;
  readonly hits: readonly TurnHit[];
  readonly score: number;
  /** When its last matching turn began. */
  readonly at: string;
  readonly covered: ReadonlySet<string>;
}

/** Returns the session that answers the prompt best; of several that answer the same question, the latest. */
export function leadingSession(
  index: MemoryIndex,
  prompt: string,
  options: LeadingOptions,
): Leading | undefined {
  const words = queryWords(prompt);
  if (words.length === 0 || isAside(prompt)) return undefined;
  const weighed = weigh(words, index.turnFrequencies(words.flatMap(tokensOf)));
  const rivals = rivalsOf(index, weighed, options);
  const [first] = rivals;
  if (first === undefined) return undefined;
  const same = rivals.filter((_, at) => answersSame(rivals, at, weighed));
  const next = rivals.find((rival) => !same.includes(rival));
  const latest = same.reduce((a, b) => (b.at > a.at ? b : a));
  const others = rivals.length - same.length;
  const ahead = 1 - (next?.score ?? 0) / Math.max(first.score, Number.MIN_VALUE);
  const lead = (ahead * others) / (others + LEADING.fewSessions);
  const turns = around(spokenTurns(index, latest.session), latest.hits, weighed);
  const near = new Set(turns.map(({ id }) => id));
  const evidence = evidenceIn(
    latest.hits.filter(({ turn }) => near.has(turn.id)),
    weighed,
  );
  const covered = new Set(evidence.covered);
  const mass = Math.log1p(massOf(weighed, (word) => covered.has(word)));
  const signs = { words: evidence.score, lead, mass };
  const found = { session: latest.session, score: scoreOf(signs), signs, covered: evidence.covered, turns };
  const changed = changedIn(index, latest, turns, weighed, options);
  return changed === undefined ? found : { ...found, ...changed };
}

/** The session that changed later what the turns decided about the prompt, up to shortly after the change. */
function changedIn(
  index: MemoryIndex,
  { session, hits }: Rival,
  turns: readonly IndexedTurn[],
  words: readonly WeighedWord[],
  { without }: LeadingOptions,
): Pick<Leading, 'session' | 'turns' | 'changes'> | undefined {
  const near = new Set(turns.map(({ id }) => id));
  const changes = hits
    .filter(({ turn }) => near.has(turn.id))
    .flatMap(({ turn }) => changedLater(index, turn, words) ?? [])
    .filter((turn) => !without.has(turn.session));
  const last = changes.toSorted((a, b) => b.at.localeCompare(a.at))[0];
  if (last === undefined) return undefined;
  const spoken = spokenTurns(index, last.session);
  const end = spoken.findIndex(({ id }) => id === last.id) + 1 + LEADING.afterChange;
  return {
    session: last.session,
    turns: spoken.slice(Math.max(0, end - LEADING.turns), end),
    changes: session,
  };
}

function spokenTurns(index: MemoryIndex, session: string): readonly IndexedTurn[] {
  return index.turnsIn(session).filter(({ origin }) => origin !== 'subagent');
}

function scoreOf({ words, lead, mass }: Leading['signs']): number {
  const { bias, weights } = LEADING;
  return chance(bias + weights.words * words + weights.lead * lead + weights.mass * mass);
}

function rivalsOf(
  index: MemoryIndex,
  words: readonly WeighedWord[],
  { project, without, vector }: LeadingOptions,
): readonly Rival[] {
  const tokens = [...new Set(words.flatMap(({ word }) => tokensOf(word)))];
  const found = index.searchTurns(tokens, { project }, SESSION_CANDIDATES, TURN_COLUMN_WEIGHTS, vector);
  const hits = found.filter(({ turn }) => turn.origin === 'person' && !without.has(turn.session));
  const scores = grouped(
    hits.map((hit) => spokenIn(hit)),
    words,
  );
  return [...Map.groupBy(hits, ({ turn }) => turn.session)]
    .map(([session, own]) => ({
      session,
      hits: own,
      score: scores.get(session)?.score ?? 0,
      at: own.reduce((latest, { turn }) => (turn.at > latest ? turn.at : latest), ''),
      covered: new Set(evidenceIn(own, words).covered),
    }))
    .toSorted((a, b) => b.score - a.score || b.at.localeCompare(a.at));
}

/** Whether a session matches a prompt about as well as the first and by the same words, or leads the rest as the first does. */
function answersSame(rivals: readonly Rival[], at: number, words: readonly WeighedWord[]): boolean {
  const [first, other, next] = [rivals[0], rivals[at], rivals[at + 1]];
  if (first === undefined || other === undefined || other === first) return true;
  if (other.score >= first.score * SAME_QUESTION.score && haveSameWords(first.covered, other.covered, words))
    return true;
  const { most, score, ahead } = SAME_QUESTION.alsoLeads;
  if (at > most || rivals.length - at <= LEADING.fewSessions) return false;
  return other.score >= first.score * score && (next?.score ?? 0) <= other.score * ahead;
}

function evidenceIn(hits: readonly TurnHit[], words: readonly WeighedWord[]) {
  return evidenceOf(words, { counts: new Map(hits.flatMap(({ counts }) => [...counts])) }, 1);
}

/** A long session is about many things: the turns up to shortly after the last one that matches well. */
function around(
  turns: readonly IndexedTurn[],
  hits: readonly TurnHit[],
  words: readonly WeighedWord[],
): readonly IndexedTurn[] {
  if (turns.length <= LEADING.turns) return turns;
  const masses = new Map(
    hits.map((hit) => {
      const covered = new Set(evidenceIn([hit], words).covered);
      return [hit.turn.id, massOf(words, (word) => covered.has(word))];
    }),
  );
  const enough = LEADING.matching * Math.max(...masses.values());
  const last = turns.findLastIndex(({ id }) => (masses.get(id) ?? 0) >= enough);
  const end = Math.min(turns.length, last + 1 + LEADING.after);
  return turns.slice(Math.max(0, end - LEADING.turns), end);
}
