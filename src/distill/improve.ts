/**
 * What becomes of a turn when a model has distilled it after `local` did: ids stay, what is said better is replaced, what
 * the model left out is superseded, never deleted. What a person edited, deleted or forgot stays as the person has it.
 */
import type { Memory, MemoryDraft, StoredTurn } from '../core/index.ts';
import { queueOrStore, memoriesOf, type Stores, dropMerged } from '../memory/index.ts';
import { redactDeep } from '../privacy/index.ts';
import { admit } from './admission.ts';
import type { DriverRequest } from './drivers/driver.ts';
import { turnRequest } from './request.ts';

/** How many earlier memories a model is told of, to say less. */
const RECENT_MEMORIES = 20;
const MOST_OF_A_TURN = 100;

export type Prepared =
  | { readonly kind: 'ask'; readonly turn: StoredTurn; readonly request: DriverRequest }
  | { readonly kind: 'pass'; readonly reason: 'gone' | 'trivial' };

/** Trivial turns are answered here, without a request. */
export async function prepareTurn(stores: Stores, id: string): Promise<Prepared> {
  const indexed = stores.index.turn(id);
  const turn = indexed?.location && (await stores.turns.get(indexed.location));
  if (!turn) return { kind: 'pass', reason: 'gone' };
  if (!admit(turn).admitted) return { kind: 'pass', reason: 'trivial' };
  const root = stores.index.session(turn.session)?.worktree;
  const recent = stores.index.memoriesBy({ project: turn.project, limit: RECENT_MEMORIES });
  return { kind: 'ask', turn, request: turnRequest({ turn, recent, ...(root ? { root } : {}) }) };
}

export async function keepImproved(
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
    .memoriesBy({ turn: turn.id, limit: MOST_OF_A_TURN })
    .filter(({ state, provenance }) => state !== 'superseded' && provenance.by !== 'person');
  const gone = before.filter(({ id }) => !made.some((memory) => memory.id === id));
  const root = stores.index.session(turn.session)?.worktree;
  const unsaid = stores.index
    .mergedOfTurn(turn.id)
    .filter(({ memory, by: who }) => who === 'words' && !made.some(({ id }) => id === memory.id));
  await dropMerged(stores, unsaid);
  await queueOrStore(stores, linked(made, gone), turn, root);
  await stores.ledger.append({
    kind: 'distilled',
    at: now.toISOString(),
    turn: turn.id,
    by,
    memories: made.map(({ id }) => id),
  });
  stores.index.markDistilled(
    turn.id,
    by,
    made.map(({ id }) => id),
  );
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

/** Of a turn that was cut off or denied only some kinds can be believed, whoever names them. */
function allowedKinds(turn: StoredTurn, drafts: readonly MemoryDraft[]): readonly MemoryDraft[] {
  const admission = admit(turn);
  if (!admission.admitted) return [];
  return drafts.filter(({ kind }) => admission.kinds === 'all' || admission.kinds.includes(kind));
}

/** It was made once and is nowhere now: a person took it out of the journal. */
function isDeleted(stores: Stores, id: string): boolean {
  const { index } = stores;
  const isThere = index.memory(id) ?? index.merged(id) ?? index.waiting().find((memory) => memory.id === id);
  return index.wasMade(id) && isThere === undefined;
}

/** What happened to a memory since stays: an issue that was closed is not opened again. */
function withState(memory: Memory, known: Memory | undefined): Memory {
  if (!known || !['resolved', 'superseded'].includes(known.state)) return memory;
  return {
    ...memory,
    state: known.state,
    ...(known.supersedes ? { supersedes: known.supersedes } : {}),
    ...(known.supersededBy ? { supersededBy: known.supersededBy } : {}),
    ...(known.resolvedBy ? { resolvedBy: known.resolvedBy } : {}),
  };
}

/** Each one that is gone points to the one that took its place, of its kind if there is one; and that one back. */
function linked(made: readonly Memory[], gone: readonly Memory[]): readonly Memory[] {
  const heirOf = (memory: Memory): Memory | undefined =>
    made.find(({ kind }) => kind === memory.kind) ?? made[0];
  const heirs = made.map((memory) => {
    const replaced = gone.filter((left) => heirOf(left) === memory).map(({ id }) => id);
    const supersedes = [...new Set([...(memory.supersedes ?? []), ...replaced])];
    return supersedes.length > 0 ? { ...memory, supersedes } : memory;
  });
  const left = gone.map((memory) => {
    const heir = heirOf(memory);
    return { ...memory, state: 'superseded' as const, ...(heir ? { supersededBy: heir.id } : {}) };
  });
  return [...heirs, ...left];
}
