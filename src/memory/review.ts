/** Stores new memories, or queues them for review in projects that require it, and applies the user's verdicts. */
import { isMeantBy, PERSONAL_PROJECT, TidemarkError, type Memory, type StoredTurn } from '../core/index.ts';
import type { MemoryPatch } from '../storage/journal/index.ts';
import { endsOf } from './_ends.ts';
import { addMemories, isWanted } from './add-memories.ts';
import { editMemory } from './edit-memory.ts';
import { personalProject } from './personal-project.ts';
import { headOf, sessionHead } from './sessions/session-head.ts';
import type { Stores } from './stores.ts';

/** Adds the memories of a turn to the journal or to the review queue. Returns those that are entries now. */
export async function queueOrStore(
  stores: Stores,
  memories: readonly Memory[],
  turn: StoredTurn,
  root: string | undefined,
): Promise<readonly Memory[]> {
  if (memories.some(({ project }) => project === PERSONAL_PROJECT))
    await personalProject(stores, turn.startedAt);
  const queued = new Set(stores.index.waiting().map(({ id }) => id));
  const needsReview = ({ id }: Memory): boolean =>
    queued.has(id) || (stores.needsReview(root) && stores.index.memory(id) === undefined);
  const toReview = memories.filter(needsReview);
  const toStore = memories.filter((memory) => !toReview.includes(memory));
  const records = toReview
    .filter((memory) => queued.has(memory.id) || isWanted(stores, memory))
    .map((memory) => ({ kind: 'waiting' as const, at: memory.at, memory }));
  if (records.length > 0) await stores.ledger.append(records);
  for (const { memory } of records) stores.index.putWaiting(memory);
  return toStore.length > 0 ? addMemories(stores, toStore, [await sessionHead(stores, turn)]) : [];
}

export interface Verdict {
  readonly ids: readonly string[];
  readonly approved: boolean;
  /** Changes to the approved memory. */
  readonly patch?: MemoryPatch;
}

/** Approves or rejects queued memories. */
export async function review(
  stores: Stores,
  { ids, approved, patch }: Verdict,
  now: Date,
): Promise<readonly Memory[]> {
  const waiting = stores.index.waiting();
  const found = ids.map((id) => {
    const matches = waiting.filter((memory) => isMeantBy(memory.id, id));
    if (matches.length === 1 && matches[0]) return matches[0];
    throw new TidemarkError('not-found', `no memory ${id} is waiting for review`, {
      hint: 'List them with: tidemark review',
    });
  });
  for (const memory of approved ? found : []) {
    const head = await headOf(stores, memory.provenance.session);
    const { supersedes: _, ...bare } = memory;
    const ends = endsOf(stores, memory);
    const [entry] = await addMemories(stores, [bare, ...ends], head ? [head] : [], { again: true });
    if (patch) await editMemory(stores, (entry ?? memory).id, patch);
  }
  const verdict = approved ? 'approved' : 'rejected';
  await stores.ledger.append(
    found.map(({ id }) => ({ kind: 'review' as const, at: now.toISOString(), memory: id, verdict })),
  );
  await unqueue(stores, found);
  return found;
}

/** Removes memories from the review queue. */
export async function unqueue(stores: Stores, memories: readonly Memory[]): Promise<void> {
  if (memories.length === 0) return;
  const done = new Set(memories.map(({ id }) => id));
  await stores.ledger.erase((record) => record.kind === 'waiting' && done.has(record.memory.id));
  stores.index.removeWaiting([...done]);
}
