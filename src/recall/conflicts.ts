/** The memories in force that may conflict with a memory, and the notes that say so. Only reads. */
import { plainLine, shortId, type Memory } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { cutToTokens } from './context/render.ts';

/** Titles named in a note, and the tokens of each: enough to recognise it. */
const NAMED = 2;
const TITLE_TOKENS = 20;

export type Conflicting = Pick<Memory, 'id' | 'kind' | 'title' | 'state' | 'at'>;

export function conflictsOf(index: Pick<MemoryIndex, 'memory'>, memory: Memory): readonly Conflicting[] {
  return (memory.conflictsWith ?? [])
    .flatMap((id) => index.memory(id) ?? [])
    .filter(({ state }) => state === 'current')
    .map(({ id, kind, title, state, at }) => ({ id, kind, title, state, at }));
}

/** `may conflict with: Build with Node 20 (7k2m9qx)`; empty without conflicts. */
export function conflictNote(conflicts: readonly Conflicting[]): string {
  if (conflicts.length === 0) return '';
  const named = conflicts
    .slice(0, NAMED)
    .map(({ id, title }) => `${cutToTokens(plainLine(title), TITLE_TOKENS)} (${shortId(id)})`);
  const more = conflicts.length > NAMED ? ` and ${conflicts.length - NAMED} more` : '';
  return `may conflict with: ${named.join('; ')}${more}`;
}

/** Returns a function that gives the ids of the memories that may conflict with one, each pair once. One per context. */
export function conflictNotes(index: Pick<MemoryIndex, 'memory'>): (memory: Memory) => readonly string[] {
  const named = new Set<string>();
  return (memory) =>
    conflictsOf(index, memory)
      .map(({ id }) => id)
      .filter((other) => {
        const pair = [memory.id, other].toSorted().join(' ');
        const isNew = !named.has(pair);
        named.add(pair);
        return isNew;
      });
}
