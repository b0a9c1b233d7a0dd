/**
 * Stores what a distiller made of a turn: new memories, and the ends of memories of earlier turns. Doing it again gives the
 * same result. A better distiller of the same turn replaces the memories and the ends of a worse one; what the user wrote,
 * edited, deleted or forgot stays as it is, and so do the notes of the agent.
 */
import {
  AGENT_MAKER,
  evidenceOf,
  given,
  isOfUser,
  MAX_PER_TURN,
  type Memory,
  type Operation,
  RULE_KINDS,
  SMALL_MAKER,
  type StoredTurn,
  USER_MAKER,
} from '../core/index.ts';
import { endedTarget, withoutEnd } from './_ends.ts';
import { dropMerged, memoriesOf } from './add-memories.ts';
import { mayEnd } from './may-end.ts';
import { queueOrStore, unqueue } from './review.ts';
import type { Stores } from './stores.ts';

/** Returns the memories that this turn made. `keep`: which of them are stored; the others keep their ordinals. */
export async function applyOperations(
  stores: Stores,
  turn: StoredTurn,
  operations: readonly Operation[],
  maker: string,
  root?: string,
  keep: (memory: Memory) => boolean = () => true,
): Promise<readonly Memory[]> {
  const adds = operations.filter((operation) => operation.op === 'add');
  const drafted = memoriesOf(
    adds.map(({ draft }) => draft),
    turn,
    maker,
    root,
  ).map((memory, i) => ({ memory, ends: adds[i]?.ends ?? [] }));
  const made = drafted
    .filter(
      ({ memory }) => keep(memory) && !stores.index.isForgotten(memory.id) && !isDeleted(stores, memory.id),
    )
    .map(({ memory, ends }) => {
      const known = stores.index.memory(memory.id);
      if (known || !stores.needsReview(root)) return { memory: withEnd(memory, known), ends };
      // It ends them once it is approved.
      return { memory: { ...memory, ...(ends.length > 0 ? { supersedes: ends } : {}) }, ends: [] };
    });
  const memories = made.map(({ memory }) => memory);
  const ends = new Map<string, string | undefined>();
  for (const operation of operations) if (operation.op === 'end') ends.set(operation.id, undefined);
  for (const { memory, ends: ids } of made) for (const id of ids) ends.set(id, memory.id);
  const targets = [...ends].flatMap(([id, by]) => endedTarget(stores, turn, id, { maker, ...given({ by }) }));
  const isMade = (id: string): boolean => memories.some((memory) => memory.id === id);
  const undone = stores.index
    .endedIn(turn.id)
    .filter(({ provenance }) => provenance.turn !== turn.id)
    .filter(({ id, ended }) => mayReplace(ended?.maker, maker) && !targets.some((target) => target.id === id))
    .map(withoutEnd);
  const gone = stores.index
    .memoriesBy({ turn: turn.id, limit: MAX_PER_TURN })
    .filter(({ id, state, provenance }) => {
      return state !== 'superseded' && mayReplace(provenance.by, maker) && !isMade(id);
    })
    .filter((memory) => maker !== SMALL_MAKER || isRestated(memory, memories))
    .map((memory) => retired(memory, memories, turn, maker));
  const dropped = stores.index
    .mergedOfTurn(turn.id)
    .filter(
      ({ memory, by }) => by === 'words' && mayReplace(memory.provenance.by, maker) && !isMade(memory.id),
    );
  await dropMerged(stores, dropped);
  const unseen = stores.index.waiting().filter(({ id, provenance }) => {
    return provenance.turn === turn.id && mayReplace(provenance.by, maker) && !isMade(id);
  });
  await queueOrStore(stores, [...memories, ...gone, ...targets, ...undone], turn, root);
  await unqueue(stores, unseen);
  return memories;
}

/** Ends memories that are stored, and those of earlier turns that are about to be. Only for operations that add and end. */
export function withEnds(
  stores: Stores,
  pending: readonly Memory[],
  turn: StoredTurn,
  operations: readonly Operation[],
  maker: string,
): { readonly pending: readonly Memory[]; readonly stored: readonly Memory[] } {
  const ids = new Set(operations.flatMap((operation) => (operation.op === 'end' ? [operation.id] : [])));
  const ended = { at: turn.startedAt, turn: turn.id, maker };
  return {
    pending: pending.map((memory) => (ids.has(memory.id) ? { ...memory, ended } : memory)),
    stored: [...ids].flatMap((id) => endedTarget(stores, turn, id, { maker })),
  };
}

/** Whether a distiller may replace what another one made of the same turn. A note of the agent stays, and replaces none. */
function mayReplace(earlier: string | undefined, maker: string): boolean {
  return earlier !== USER_MAKER && earlier !== AGENT_MAKER && maker !== AGENT_MAKER;
}

/** Whether the small model states it in other words: only then it replaces a rule that the user said. */
function isRestated(memory: Memory, made: readonly Memory[]): boolean {
  return !isOfUser(memory) || made.some((one) => isSuccessor(one, memory));
}

/** Whether it may take the place of a memory of the same turn. */
function isSuccessor(made: Memory, before: Memory): boolean {
  if (isOfUser(before) && !RULE_KINDS.includes(made.kind)) return false;
  return mayEnd(before, { evidence: evidenceOf(made), kind: made.kind, text: made.title });
}

/** A memory that a better distiller of its turn left out: replaced by one of the same kind if there is one. */
function retired(memory: Memory, made: readonly Memory[], turn: StoredTurn, maker: string): Memory {
  const others = made.filter((one) => isSuccessor(one, memory));
  const by = (others.find(({ kind }) => kind === memory.kind) ?? others[0])?.id;
  return {
    ...memory,
    state: 'superseded',
    ended: { at: memory.at, turn: turn.id, maker, ...given({ by }) },
    ...given({ supersededBy: by }),
  };
}

/** Whether it was made before and is stored nowhere now: the user deleted it from the journal. */
function isDeleted({ index }: Stores, id: string): boolean {
  const stored = index.memory(id) ?? index.merged(id) ?? index.waiting().find((memory) => memory.id === id);
  return index.wasMade(id) && stored === undefined;
}

/** Keeps the end that a later turn gave it: a resolved issue is not opened again. */
function withEnd(memory: Memory, known: Memory | undefined): Memory {
  const ended = known?.ended?.turn === memory.provenance.turn ? undefined : known?.ended;
  return { ...memory, ...given({ ended }) };
}
