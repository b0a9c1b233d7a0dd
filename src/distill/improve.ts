/**
 * Stores what a model made of a turn that `local` distilled before: ids stay, better texts replace worse ones, and
 * memories that the model left out are superseded, never deleted. Edits, deletions and forgetting by the user stay.
 */
import { given, type Memory, type MemoryDraft, type StoredTurn } from '../core/index.ts';
import { queueOrStore, memoriesOf, type Stores, dropMerged } from '../memory/index.ts';
import { redactDeep } from '../privacy/index.ts';
import { admit } from './admission.ts';
import type { DriverRequest } from './drivers/driver.ts';
import { turnRequest } from './request.ts';

/** How many earlier memories a model gets, so that it does not repeat them. */
const RECENT_MEMORIES = 20;
const MAX_PER_TURN = 100;

export type Prepared =
  | { readonly kind: 'ask'; readonly turn: StoredTurn; readonly request: DriverRequest }
  | { readonly kind: 'pass'; readonly reason: 'gone' | 'trivial' };

/** Builds the request for a turn. Trivial turns need none. */
export async function prepareTurn(stores: Stores, id: string): Promise<Prepared> {
  const indexed = stores.index.turn(id);
  const turn = indexed?.location && (await stores.turns.get(indexed.location));
  if (!turn) return { kind: 'pass', reason: 'gone' };
  if (!admit(turn).admitted) return { kind: 'pass', reason: 'trivial' };
  const root = stores.index.session(turn.session)?.worktree;
  const recent = stores.index.memoriesBy({ project: turn.project, limit: RECENT_MEMORIES });
  return { kind: 'ask', turn, request: turnRequest({ turn, recent, ...given({ root }) }) };
}

export async function storeImproved(
  stores: Stores,
  turn: StoredTurn,
  drafts: readonly MemoryDraft[],
  by: string,
  now: Date,
): Promise<readonly Memory[]> {
  const allowed = allowedKinds(turn, drafts);
  const made = memoriesOf(redactDeep(allowed).value, turn, by)
    .filter(({ id }) => !stores.index.isForgotten(id) && !isDeleted(stores, id))
    .map((memory) => withState(memory, stores.index.memory(memory.id)));
  const before = stores.index
    .memoriesBy({ turn: turn.id, limit: MAX_PER_TURN })
    .filter(({ state, provenance }) => state !== 'superseded' && provenance.by !== 'person');
  const gone = before.filter(({ id }) => !made.some((memory) => memory.id === id));
  const root = stores.index.session(turn.session)?.worktree;
  const dropped = stores.index
    .mergedOfTurn(turn.id)
    .filter(({ memory, by: who }) => who === 'words' && !made.some(({ id }) => id === memory.id));
  await dropMerged(stores, dropped);
  await queueOrStore(stores, linked(made, gone), turn, root);
  const ids = made.map(({ id }) => id);
  await stores.ledger.append({
    kind: 'distilled',
    at: now.toISOString(),
    turn: turn.id,
    by,
    memories: ids,
  });
  stores.index.markDistilled(turn.id, by, ids);
  return made;
}

export async function passTurn(
  stores: Stores,
  turn: string,
  driver: string,
  reason: string,
  now: Date,
): Promise<void> {
  const record = { kind: 'passed', at: now.toISOString(), turn, driver, reason } as const;
  await stores.ledger.append(record);
  stores.index.markPassed(record);
}

/** An interrupted or denied turn proves only some kinds, for every distiller. */
function allowedKinds(turn: StoredTurn, drafts: readonly MemoryDraft[]): readonly MemoryDraft[] {
  const admission = admit(turn);
  if (!admission.admitted) return [];
  return drafts.filter(({ kind }) => admission.kinds === 'all' || admission.kinds.includes(kind));
}

/** Whether it was made before and is stored nowhere now: the user deleted it from the journal. */
function isDeleted(stores: Stores, id: string): boolean {
  const { index } = stores;
  const stored = index.memory(id) ?? index.merged(id) ?? index.waiting().find((memory) => memory.id === id);
  return index.wasMade(id) && stored === undefined;
}

/** Keeps the state a memory has reached: a resolved issue is not opened again. */
function withState(memory: Memory, known: Memory | undefined): Memory {
  if (!known || !['resolved', 'superseded'].includes(known.state)) return memory;
  return {
    ...memory,
    state: known.state,
    ...given({
      supersedes: known.supersedes,
      supersededBy: known.supersededBy,
      resolvedBy: known.resolvedBy,
    }),
  };
}

/** Links each memory that is gone with its replacement, one of the same kind if possible, in both directions. */
function linked(made: readonly Memory[], gone: readonly Memory[]): readonly Memory[] {
  const replacementOf = (memory: Memory): Memory | undefined =>
    made.find(({ kind }) => kind === memory.kind) ?? made[0];
  const current = made.map((memory) => {
    const replaced = gone.filter((left) => replacementOf(left) === memory).map(({ id }) => id);
    const supersedes = [...new Set([...(memory.supersedes ?? []), ...replaced])];
    return supersedes.length > 0 ? { ...memory, supersedes } : memory;
  });
  const left = gone.map((memory) => {
    const supersededBy = replacementOf(memory)?.id;
    return { ...memory, state: 'superseded' as const, ...given({ supersededBy }) };
  });
  return [...current, ...left];
}
