/**
 * Finds the turn that changed later what a turn decided: by the memories of the turn that a later one replaced. A memory
 * counts only if it is what the query asks of the turn. Only reads.
 */
import type { Memory } from '../core/index.ts';
import { queryWords, tokensOf, type IndexedTurn, type MemoryIndex } from '../database/index.ts';
import { massOf, evidenceOf, type WeighedWord } from './ranking/score.ts';
import { CHANGED_LATER } from './ranking/weights.ts';

/** Returns the last change; undefined if what the turn decided about the query is still in force. */
export function changedLater(
  index: MemoryIndex,
  { id, at, session, prompt, answer }: Pick<IndexedTurn, 'id' | 'at' | 'session' | 'prompt' | 'answer'>,
  words: readonly WeighedWord[],
): IndexedTurn | undefined {
  const asked = massIn(`${prompt}\n${answer}`, words);
  return index
    .memoriesBy({ turn: id, limit: CHANGED_LATER.memories })
    .filter((memory) => massIn(textOf(memory), words) >= CHANGED_LATER.share * asked)
    .flatMap((memory) => lastChange(index, memory) ?? [])
    .filter((turn) => turn.session !== session && turn.at > at)
    .toSorted((a, b) => b.at.localeCompare(a.at))[0];
}

/** Returns the memories of later sessions that replaced what a turn decided. */
export function replacementsOf(
  index: MemoryIndex,
  { id, session }: Pick<IndexedTurn, 'id' | 'session'>,
): readonly Memory[] {
  const found = index
    .memoriesBy({ turn: id, limit: CHANGED_LATER.memories })
    .flatMap((memory) => lastOf(index, memory).memory ?? [])
    .filter(({ provenance }) => provenance.session !== session);
  return [...new Map(found.map((memory) => [memory.id, memory])).values()];
}

function lastChange(index: MemoryIndex, memory: Memory): IndexedTurn | undefined {
  const { turn } = lastOf(index, memory);
  return turn === undefined ? undefined : index.turn(turn);
}

/** Follows what replaced a memory: the last turn that did, and the memory it made; neither if it is in force. */
function lastOf(
  index: MemoryIndex,
  memory: Memory,
): { readonly turn?: string | undefined; readonly memory?: Memory } {
  const seen = new Set<string>();
  let current = memory;
  while (current.state === 'superseded' && !seen.has(current.id)) {
    seen.add(current.id);
    const next = index.memory(current.supersededBy ?? '');
    if (next === undefined) return { turn: current.ended?.turn };
    current = next;
  }
  return current === memory ? {} : { turn: current.provenance.turn, memory: current };
}

function textOf({ title, body, reason = '', facts, concepts }: Memory): string {
  return [title, body, reason, ...facts, ...concepts].join('\n');
}

/** The weight of the query's words that a text contains. */
function massIn(text: string, words: readonly WeighedWord[]): number {
  const counts = new Map(queryWords(text).flatMap((word) => tokensOf(word).map((token) => [token, 1])));
  const covered = new Set(evidenceOf(words, { counts }, 1).covered);
  return massOf(words, (word) => covered.has(word));
}
