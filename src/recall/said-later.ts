/**
 * Finds what a later session remembered about the same as a memory, so that an entry can name it: it may have changed what
 * the memory says without replacing it. Only reads.
 */
import { isLive, plainLine, RULE_KINDS, shortId, type Memory } from '../core/index.ts';
import { queryWords, tokensOf, worthAsking, type IndexedTurn, type MemoryIndex } from '../database/index.ts';
import { likenessOfTalk, topicTokens } from '../memory/index.ts';
import { age } from './ages.ts';
import { cutToTokens } from './context/render.ts';
import { SAID_LATER, TURN_COLUMN_WEIGHTS } from './ranking/weights.ts';

interface Asked {
  readonly project: string;
  /** The prompt, or the words of a search. */
  readonly query: string;
  /** The current session, which the agent knows. */
  readonly session?: string;
}

/** Returns a function that gives the later memory, if a later turn matches the query and is like the given one. One per context. */
export function saidLater(
  index: MemoryIndex,
  { project, query, session }: Asked,
): (turn: string) => Memory | undefined {
  let found: readonly IndexedTurn[] | undefined;
  const talks = new Map<string, ReadonlySet<string>>();
  const talkOf = (turn: IndexedTurn): ReadonlySet<string> => {
    const talk = talks.get(turn.id) ?? topicTokens(talkAround(index, turn));
    talks.set(turn.id, talk);
    return talk;
  };
  return (id) => {
    const own = index.turn(id);
    if (own === undefined) return undefined;
    found ??= matching(index, project, query);
    const later = found.filter(
      (turn) => turn.session !== own.session && turn.session !== session && turn.at > own.at,
    );
    const all = [own, ...later].flatMap((turn) => [...talkOf(turn)]);
    const frequencies = index.turnFrequencies(new Set(all));
    return later
      .map((turn) => ({ turn, like: likenessOfTalk(talkOf(own), talkOf(turn), frequencies) }))
      .filter(({ like }) => like >= SAID_LATER.like)
      .toSorted((a, b) => b.like - a.like)
      .flatMap(({ turn }) => rememberedOf(index, turn))[0];
  };
}

/** `later about the same, 12 days ago: Back to 20, the DBA complained (1ja0p3h7k2m9qx)`; empty without one. */
export function laterNote(later: Memory | undefined, now: Date): string {
  if (later === undefined) return '';
  const title = cutToTokens(plainLine(later.title), SAID_LATER.titleTokens);
  return `later about the same, ${age(later.at, now)}: ${title} (${shortId(later.id)})`;
}

/** `changed later, 12 days ago: Back to 20, the DBA complained (1ja0p3h7k2m9qx)` */
export function replacedNote({ id, title, at }: Memory, now: Date): string {
  return `changed later, ${age(at, now)}: ${cutToTokens(plainLine(title), SAID_LATER.titleTokens)} (${shortId(id)})`;
}

/** Returns the text of a turn and of the one before it. */
export function talkAround(index: MemoryIndex, { id, session }: IndexedTurn): string {
  const turns = index.turnsIn(session);
  const at = turns.findIndex((turn) => turn.id === id);
  return turns
    .slice(Math.max(0, at - 1), at + 1)
    .flatMap(({ prompt, answer }) => [prompt, answer].map((text) => text.slice(0, SAID_LATER.chars)))
    .join('\n');
}

function matching(index: MemoryIndex, project: string, text: string): readonly IndexedTurn[] {
  const tokens = worthAsking(index.turnFrequencies(queryWords(text).flatMap(tokensOf)));
  if (tokens.length === 0) return [];
  return index
    .searchTurns(tokens, { project }, SAID_LATER.turns, TURN_COLUMN_WEIGHTS)
    .map(({ turn }) => turn);
}

/** The memories in force of a turn, decisions first. */
function rememberedOf(index: MemoryIndex, { id }: IndexedTurn): readonly Memory[] {
  const rank = ({ kind }: Memory): number => (RULE_KINDS.includes(kind) ? 0 : 1);
  return index
    .memoriesBy({ turn: id, limit: SAID_LATER.memories })
    .filter(isLive)
    .toSorted((a, b) => rank(a) - rank(b));
}
