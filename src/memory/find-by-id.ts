/** Finds things by the start of an id, and lists the matches if there are several. */
import { shortId, TidemarkError } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';

/** The number of matches an error lists. */
const MOST_LISTED = 4;

/** Enough to tell the turns of a user apart. */
const SHORTEST_START = 8;

/** Returns the error for an id that no memory or several memories start with. */
export function noMemory(index: MemoryIndex, id: string): TidemarkError {
  const several = index.idsBeginning('memory', id, MOST_LISTED + 1);
  if (several.length > 1) return ambiguous(id, nameable(several, id), 'memories');
  return new TidemarkError('not-found', `no memory ${id}`, {
    hint: 'Find ids with: tidemark search <words>',
  });
}

export function turnNamed(index: MemoryIndex, id: string): string {
  const [turn, ...more] = index.idsBeginning('turn', id, MOST_LISTED + 1);
  if (turn === undefined) throw noMemory(index, id);
  if (more.length > 0 && turn !== id) throw ambiguous(id, [turn, ...more], 'turns');
  return turn;
}

/** Returns the id of a session. A session that is not stored yet needs its full id. */
export function sessionNamed(index: MemoryIndex, id: string): string {
  const [session, ...more] = index.idsBeginning('session', id, MOST_LISTED + 1);
  if (session !== undefined && more.length > 0 && session !== id)
    throw ambiguous(id, [session, ...more], 'sessions');
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
