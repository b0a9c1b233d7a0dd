/** Marks memories as over because of a later turn. Pure, except for reading the index. */
import { firstState, isLive, type Ended, type Memory, type StoredTurn } from '../core/index.ts';
import type { Stores } from './stores.ts';

/** The memory with its end; nothing if it does not exist, is over already, or is not older than the turn. */
export function endedTarget(
  stores: Stores,
  turn: Pick<StoredTurn, 'id' | 'startedAt'>,
  id: string,
  by: Pick<Ended, 'maker' | 'by'>,
): readonly Memory[] {
  const target = stores.index.memory(id);
  if (!target || target.at >= turn.startedAt || target.author !== undefined) return [];
  // Without an end of its own it is over by comparison with another memory, which may be retired later.
  if (!isLive(target) && target.ended !== undefined && target.ended.turn !== turn.id) return [];
  return [{ ...target, ended: { at: turn.startedAt, turn: turn.id, ...by } }];
}

/** Ends memories because of a memory that was waiting for review until now. */
export function endsOf(stores: Stores, { id, at, provenance, supersedes = [] }: Memory): readonly Memory[] {
  const turn = { id: provenance.turn, startedAt: at };
  return supersedes.flatMap((target) => endedTarget(stores, turn, target, { maker: provenance.by, by: id }));
}

/** The memory as it was before a turn ended it. Its state is computed again from the other memories. */
export function withoutEnd(memory: Memory): Memory {
  const { ended: _, supersededBy: __, resolvedBy: ___, ...rest } = memory;
  return { ...rest, state: firstState(memory.kind) };
}
