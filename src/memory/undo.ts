/**
 * Undoes the last step: the user's last forgetting or remembering if it is later than the last turn that stored something,
 * else what that turn stored. The memories of an undone turn are forgotten with the usual day to restore them, and the
 * memories that it ended are in force again. Doing it again undoes the step before.
 */
import {
  isLive,
  MAX_PER_TURN,
  PERSONAL_PROJECT,
  type Memory,
  type Places,
  TidemarkError,
  USER_MAKER,
} from '../core/index.ts';
import { withoutEnd } from './_ends.ts';
import { addMemories, dropMerged } from './add-memories.ts';
import { settleMemories } from './edit-memory.ts';
import { forgetMemories, UNDO_MS, unforget } from './forget.ts';
import { readForgotten } from './forgotten.ts';
import { review } from './review.ts';
import type { Stores } from './stores.ts';

/** A user's own memory that is older than so many others is not the last step. */
const NEWEST = 50;

export interface Undone {
  /** The step that was undone: a turn, or a `forget` or `remember` of the user. */
  readonly step: 'turn' | 'forget' | 'remember';
  /** The session and the turn; empty if a step of the user was undone. */
  readonly session: string;
  readonly turn: string;
  /** Memories that the step had stored, as they were. */
  readonly forgotten: readonly Memory[];
  /** Earlier memories that are in force again, or that the user had forgotten. */
  readonly restored: readonly Memory[];
}

export interface UndoScope {
  /** Undoes turns of this session. */
  readonly session: string;
  /** Also looks for later steps of the user in this project, and for what was forgotten in any project. */
  readonly project?: string;
  /** Changes nothing, and returns what would be undone. */
  readonly preview?: boolean;
  readonly at: Date;
}

/** Undoes the user's last step or the last turn of the session that stored something, whichever is later. */
export async function undoLast(stores: Stores, places: Places, scope: UndoScope): Promise<Undone> {
  const { session, project, preview = false, at } = scope;
  const turn = stores.index.turnsIn(session).findLast(({ id }) => !isNothing(storedBy(stores, id)));
  const since = turn?.endedAt ?? turn?.at ?? '';
  const step = project === undefined ? undefined : await lastStep(stores, places, project, at);
  if (step && step.at > since) {
    const ids = step.memories.map(({ id }) => id);
    if (!preview && step.kind === 'forget') await unforget(stores, places, ids, at);
    if (!preview && step.kind === 'remember') await forgetMemories(stores, places, ids, { at });
    const [forgotten, restored] = step.kind === 'forget' ? [[], step.memories] : [step.memories, []];
    return { step: step.kind, session: '', turn: '', forgotten, restored };
  }
  if (turn === undefined)
    throw new TidemarkError('not-found', 'nothing was remembered in this session that can be undone', {
      hint: 'Find older memories with: tidemark search <words>. Forget one with: tidemark forget <id>',
    });
  return undoTurn(stores, places, { session, turn: turn.id }, at, preview);
}

interface UserStep {
  readonly kind: 'forget' | 'remember';
  readonly at: string;
  readonly memories: readonly Memory[];
}

async function lastStep(
  stores: Stores,
  places: Places,
  project: string,
  now: Date,
): Promise<UserStep | undefined> {
  const forgot = await lastForgotten(stores, places, now);
  const own = stores.index
    .memoriesBy({ project: [project, PERSONAL_PROJECT], limit: NEWEST })
    .find((memory) => memory.provenance.by === USER_MAKER && memory.author === undefined && isLive(memory));
  if (!own || (forgot && forgot.at > own.at)) return forgot;
  return { kind: 'remember', at: own.at, memories: [own] };
}

/** The memories that the user forgot last, by one command, while they can be restored. */
async function lastForgotten(stores: Stores, places: Places, now: Date): Promise<UserStep | undefined> {
  const hidden = stores.index
    .tombstones('hidden')
    .filter(({ at }) => now.getTime() - Date.parse(at) < UNDO_MS)
    .toReversed();
  const memories: Memory[] = [];
  let last: string | undefined;
  for (const { memory, at } of hidden) {
    if (last !== undefined && at !== last) break;
    const found = await readForgotten(places, memory);
    if (!found?.byUser) continue;
    last = at;
    memories.push(found.memory);
  }
  return last === undefined ? undefined : { kind: 'forget', at: last, memories };
}

async function undoTurn(
  stores: Stores,
  places: Places,
  { session, turn }: Pick<Undone, 'session' | 'turn'>,
  at: Date,
  preview: boolean,
): Promise<Undone> {
  const { made, merged, waiting, ended } = storedBy(stores, turn);
  const ids = made.map(({ id }) => id);
  const replaced = ids.flatMap((id) => stores.index.endedBy(id)).filter((one) => one.author === undefined);
  const over = [...new Map([...ended, ...replaced].map((one) => [one.id, one])).values()].filter(
    ({ id }) => !ids.includes(id),
  );
  const undone = { step: 'turn', session, turn, forgotten: [...made, ...waiting] } as const;
  if (preview) return { ...undone, restored: over };
  await addMemories(stores, ended.map(withoutEnd), [], { again: true });
  await dropMerged(stores, merged);
  if (waiting.length > 0) await review(stores, { ids: waiting.map(({ id }) => id), approved: false }, at);
  if (made.length > 0) await forgetMemories(stores, places, ids, { at });
  const now = (): readonly Memory[] => over.flatMap(({ id }) => stores.index.memory(id) ?? []);
  // The user may have said that one of these memories replaces an older one.
  const left = now().filter((one) => !isLive(one) && ids.includes(one.supersededBy ?? one.resolvedBy ?? ''));
  await settleMemories(
    stores,
    left.map(({ id }) => id),
    false,
  );
  return { ...undone, restored: now().filter(isLive) };
}

interface StoredByTurn {
  readonly made: readonly Memory[];
  readonly merged: ReturnType<Stores['index']['mergedOfTurn']>;
  readonly waiting: readonly Memory[];
  readonly ended: readonly Memory[];
}

/**
 * A memory that the user wrote is no result of a turn. One that a better distiller replaced within the turn is: without
 * the others it would be left over.
 */
function storedBy({ index }: Stores, turn: string): StoredByTurn {
  const made = index.memoriesBy({ turn, limit: MAX_PER_TURN });
  return {
    made: made.filter(
      (memory) => (isLive(memory) || memory.ended?.turn === turn) && memory.provenance.by !== USER_MAKER,
    ),
    merged: index.mergedOfTurn(turn).filter(({ by }) => by === 'words'),
    waiting: index.waiting().filter(({ provenance }) => provenance.turn === turn),
    ended: index.endedIn(turn).filter(({ provenance }) => provenance.turn !== turn),
  };
}

/** A turn that only repeated known memories stored nothing. */
function isNothing({ made, waiting, ended }: StoredByTurn): boolean {
  return made.length + waiting.length + ended.length === 0;
}
