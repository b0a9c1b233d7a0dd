/** Finds things by the start of an id, and lists the matches if there are several. */
import { isMeantBy, shortId, TidemarkError, type Memory } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';

/** The number of matches an error lists. */
const MOST_LISTED = 4;

/** Enough to tell the turns of a user apart. */
const SHORTEST_START = 8;

/** Returns the error for an id that no memory or several memories start with. */
export function noMemory(index: MemoryIndex, id: string): TidemarkError {
  const several = index.idsBeginning('memory', id, MOST_LISTED + 1);
  if (several.length > 1) return ambiguous(id, nameable(several, id), 'memories');
  const forgotten = forgottenMemory(index, id);
  if (forgotten) return forgotten;
  const isConversation = (['turn', 'session'] as const).some(
    (table) => index.idsBeginning(table, id, 1).length > 0,
  );
  return new TidemarkError('not-found', `there is no memory ${id}`, {
    hint: isConversation
      ? `This is the id of a conversation: tidemark transcript ${id}`
      : 'Find ids with: tidemark search <words>',
  });
}

/** Returns the error for a memory that was forgotten, with the command that restores it as long as that is possible. */
function forgottenMemory(index: MemoryIndex, id: string): TidemarkError | undefined {
  const [hidden, ...more] = index.tombstones('hidden').filter(({ memory }) => isMeantBy(memory, id));
  if (hidden && more.length === 0)
    return new TidemarkError('not-found', `the memory ${shortId(hidden.memory)} was forgotten`, {
      hint: `Restore it with: tidemark forget --undo ${shortId(hidden.memory)}`,
    });
  if (index.tombstone(id)?.state !== 'erased') return undefined;
  return new TidemarkError('not-found', `the memory ${shortId(id)} was forgotten and its text erased`, {
    hint: 'It cannot be restored.',
  });
}

/** Something that an id names. */
export type Named =
  | { readonly kind: 'memory'; readonly memory: Memory }
  | { readonly kind: 'turn'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string };

/** Returns the memory, turn or session that an id, a short id or the start of an id names. Throws if there are several. */
export function anythingNamed(index: MemoryIndex, id: string): Named {
  const memory = index.memory(id) ?? index.merged(id)?.memory;
  if (memory && (memory.id === id || shortId(memory.id) === id)) return { kind: 'memory', memory };
  const [turns, sessions] = (['turn', 'session'] as const).map((table) =>
    index.idsBeginning(table, id, MOST_LISTED + 1),
  ) as [readonly string[], readonly string[]];
  if (turns.includes(id)) return { kind: 'turn', id };
  const [session] = sessions;
  // Some clients name a turn after its session.
  const isOneSession = sessions.length === 1 && turns.every((turn) => turn.startsWith(session ?? ''));
  const memories = nameable(index.idsBeginning('memory', id, MOST_LISTED + 1), id);
  if (session !== undefined && (sessions.includes(id) || (isOneSession && memories.length === 0)))
    return { kind: 'session', id: sessions.includes(id) ? id : session };
  const several = [
    ...memories.map((one) => `memory ${one}`),
    ...turns.map((one) => `turn ${one}`),
    ...sessions.map((one) => `session ${one}`),
  ];
  if (several.length > 1) throw ambiguous(id, several, 'ids');
  if (memory) return { kind: 'memory', memory };
  const [turn] = turns;
  if (turn !== undefined) return { kind: 'turn', id: turn };
  const forgotten = forgottenMemory(index, id);
  if (forgotten) throw forgotten;
  throw new TidemarkError('not-found', `no memory, turn or session ${id}`, {
    hint: 'Find ids with: tidemark search <words>, or tidemark sessions',
  });
}

/** Returns the session whose id is this or starts with it; undefined if there is none. Throws if there are several. */
export function sessionBeginning(index: MemoryIndex, id: string): string | undefined {
  const [session, ...more] = index.idsBeginning('session', id, MOST_LISTED + 1);
  if (session === undefined || more.length === 0 || session === id) return session;
  throw ambiguous(id, [session, ...more], 'sessions');
}

/** Returns the id of a session. A session that is not stored yet needs its full id. */
export function sessionNamed(index: MemoryIndex, id: string): string {
  const session = sessionBeginning(index, id);
  if (session !== undefined) return session;
  if (UUID.test(id)) return id;
  throw new TidemarkError('not-found', `no session begins with ${id}`, {
    hint: 'List sessions with: tidemark sessions --all',
  });
}

/** Returns the shortest start of a turn's or session's id that no other has: some clients begin theirs with the time. */
export function shortStart(index: MemoryIndex, table: 'turn' | 'session', id: string): string {
  for (let length = SHORTEST_START; length < id.length; length += SHORTEST_START / 2) {
    const start = id.slice(0, length);
    if (index.idsBeginning(table, start, 2).length === 1) return start;
  }
  return id;
}

/** The short ids, where the user wrote the start of a short one and they differ. */
function nameable(ids: readonly string[], start: string): readonly string[] {
  return ids.map((id) => {
    const short = shortId(id);
    return short !== start && short.startsWith(start) ? short : id;
  });
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function ambiguous(id: string, several: readonly string[], what: string): TidemarkError {
  const count = several.length > MOST_LISTED ? `more than ${MOST_LISTED}` : String(several.length);
  const named = several.slice(0, MOST_LISTED).join(', ');
  return new TidemarkError('not-found', `${count} ${what} begin with ${id}`, {
    hint: `Write more of the id: ${named}${several.length > MOST_LISTED ? ' …' : ''}`,
  });
}
