/** The review inbox: what a distiller made waits here for a person's yes, in projects that want that. */
import { TidemarkError, type Memory } from '../core/index.ts';
import type { MemoryPatch } from '../storage/journal/index.ts';
import { addMemories } from './add-memories.ts';
import { editMemory } from './edit-memory.ts';
import { headOf } from './sessions/session-head.ts';
import type { Stores } from './stores.ts';

export interface Verdict {
  readonly ids: readonly string[];
  readonly approved: boolean;
  /** Approved, but in these words. */
  readonly patch?: MemoryPatch;
}

export async function review(
  stores: Stores,
  { ids, approved, patch }: Verdict,
  now: Date,
): Promise<readonly Memory[]> {
  const waiting = stores.index.waiting();
  const found = ids.map((id) => {
    const matches = waiting.filter((memory) => memory.id.startsWith(id));
    if (matches.length === 1 && matches[0]) return matches[0];
    throw new TidemarkError('not-found', `nothing waits as ${id}`, {
      hint: 'See what waits with: tidemark review',
    });
  });
  for (const memory of approved ? found : []) {
    const head = await headOf(stores, memory.provenance.session);
    const [entry] = await addMemories(stores, [memory], head ? [head] : [], { again: true });
    if (patch) await editMemory(stores, (entry ?? memory).id, patch);
  }
  const verdict = approved ? 'approved' : 'rejected';
  await stores.ledger.append(
    found.map(({ id }) => ({ kind: 'review' as const, at: now.toISOString(), memory: id, verdict })),
  );
  const done = new Set(found.map(({ id }) => id));
  await stores.ledger.erase((record) => record.kind === 'waiting' && done.has(record.memory.id));
  stores.index.removeWaiting([...done]);
  return found;
}
