/** What people name by the beginning of an id. Says which there are where it fits more than one. */
import { TidemarkError } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';

/** So many are named; more help nobody. */
const MOST_NAMED = 4;

/** Nothing has this id, or too many begin so. */
export function noMemory(index: MemoryIndex, id: string): TidemarkError {
  const several = index.idsBeginning('memory', id, MOST_NAMED + 1);
  if (several.length > 1) return ambiguous(id, several, 'memories');
  return new TidemarkError('not-found', `nothing is known as ${id}`, {
    hint: 'Find ids with: tidemark search <words>',
  });
}

export function turnNamed(index: MemoryIndex, id: string): string {
  const [turn, ...more] = index.idsBeginning('turn', id, MOST_NAMED + 1);
  if (turn === undefined) throw noMemory(index, id);
  if (more.length > 0 && turn !== id) throw ambiguous(id, [turn, ...more], 'turns');
  return turn;
}

/** A session nobody told us of yet has to be named whole. */
export function sessionNamed(index: MemoryIndex, id: string): string {
  const [session, ...more] = index.idsBeginning('session', id, MOST_NAMED + 1);
  if (session !== undefined && more.length > 0 && session !== id)
    throw ambiguous(id, [session, ...more], 'sessions');
  if (session !== undefined) return session;
  if (UUID.test(id)) return id;
  throw new TidemarkError('not-found', `no session begins with ${id}`, {
    hint: 'They are listed by: tidemark sessions --all',
  });
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function ambiguous(id: string, several: readonly string[], what: string): TidemarkError {
  const count = several.length > MOST_NAMED ? `more than ${MOST_NAMED}` : String(several.length);
  const named = several.slice(0, MOST_NAMED).join(', ');
  return new TidemarkError('not-found', `${count} ${what} begin with ${id}`, {
    hint: `Write more of the id: ${named}${several.length > MOST_NAMED ? ' …' : ''}`,
  });
}
