/**
 * Undoes what a turn stored: its memories are forgotten with the usual day to restore them, and the memories that it ended
 * are in force again. Doing it again undoes the turn before.
 */
import { isLive, MAX_PER_TURN, type Memory, type Places, TidemarkError, USER_MAKER } from '../core/index.ts';
import { withoutEnd } from './_ends.ts';
import { addMemories, dropMerged } from './add-memories.ts';
import { forgetMemories } from './forget.ts';
import { review } from './review.ts';
import type { Stores } from './stores.ts';

export interface Undone {
  readonly session: string;
  readonly turn: string;
  /** Memories that the turn had stored, as they were. */
  readonly forgotten: readonly Memory[];
  /** Memories of earlier turns that are in force again. */
  readonly restored: readonly Memory[];
}

/** Undoes the last turn of the session that stored something. */
export async function undoLastTurn(
  stores: Stores,
  places: Places,
  session: string,
  at: Date,
): Promise<Undone> {
  const turn = stores.index.turnsIn(session).findLast(({ id }) => !isNothing(storedBy(stores, id)))?.id;
  if (turn === undefined)
    throw new TidemarkError('not-found', 'nothing was remembered in this session that can be undone', {
      hint: 'Find older memories with: tidemark search <words>. Forget one with: tidemark forget <id>',
    });
  const { made, merged, waiting, ended } = storedBy(stores, turn);
  await addMemories(stores, ended.map(withoutEnd), [], { again: true });
  await dropMerged(stores, merged);
  if (waiting.length > 0) await review(stores, { ids: waiting.map(({ id }) => id), approved: false }, at);
  const replaced = made.flatMap(({ supersedes = [] }) => supersedes);
  if (made.length > 0)
    await forgetMemories(
      stores,
      places,
      made.map(({ id }) => id),
      { at },
    );
  const ids = new Set([...ended.map(({ id }) => id), ...replaced]);
  const restored = [...ids].flatMap((id) => stores.index.memory(id) ?? []).filter(isLive);
  return { session, turn, forgotten: [...made, ...waiting], restored };
}

interface StoredByTurn {
  readonly made: readonly Memory[];
  readonly merged: ReturnType<Stores['index']['mergedOfTurn']>;
  readonly waiting: readonly Memory[];
  readonly ended: readonly Memory[];
}

/** A memory that the user wrote is no result of a turn. */
function storedBy({ index }: Stores, turn: string): StoredByTurn {
  const made = index.memoriesBy({ turn, limit: MAX_PER_TURN });
  return {
    made: made.filter((memory) => isLive(memory) && memory.provenance.by !== USER_MAKER),
    merged: index.mergedOfTurn(turn).filter(({ by }) => by === 'words'),
    waiting: index.waiting().filter(({ provenance }) => provenance.turn === turn),
    ended: index.endedIn(turn).filter(({ provenance }) => provenance.turn !== turn),
  };
}

/** A turn that only repeated known memories stored nothing. */
function isNothing({ made, waiting, ended }: StoredByTurn): boolean {
  return made.length + waiting.length + ended.length === 0;
}
