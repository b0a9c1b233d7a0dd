/** What a distiller made goes into the journal, or waits for a person's yes where the project wants that. */
import { type Memory, type StoredTurn, PERSONAL_PROJECT } from '../core/index.ts';
import { addMemories, isWanted } from './add-memories.ts';
import { personalProject } from './personal.ts';
import { sessionHead } from './sessions/session-head.ts';
import type { Stores } from './stores.ts';

/** Gives those that stand as entries now. */
export async function queueOrStore(
  stores: Stores,
  memories: readonly Memory[],
  turn: StoredTurn,
  root: string | undefined,
): Promise<readonly Memory[]> {
  if (memories.some(({ project }) => project === PERSONAL_PROJECT))
    await personalProject(stores, turn.startedAt);
  const waiting = stores.index.waiting().map(({ id }) => id);
  const waits = ({ id }: Memory): boolean =>
    waiting.includes(id) || (stores.needsReview(root) && stores.index.memory(id) === undefined);
  const held = memories.filter(
    (memory) => waits(memory) && (waiting.includes(memory.id) || isWanted(stores, memory)),
  );
  if (held.length > 0) {
    await stores.ledger.append(held.map((memory) => ({ kind: 'waiting' as const, at: memory.at, memory })));
    for (const memory of held) stores.index.putWaiting(memory);
  }
  const rest = memories.filter((memory) => !waits(memory));
  return rest.length > 0 ? addMemories(stores, rest, [await sessionHead(stores, turn)]) : [];
}
