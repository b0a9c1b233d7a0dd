/**
 * Distills a turn with the small model, after the rules did, and stores the result in place of theirs. Turns of a project
 * must be kept in order of time: a turn is compared with the memories of the turns before it.
 */
import { given, RULES_MAKER, SMALL_MAKER, type Memory } from '../../core/index.ts';
import { applyOperations, sessionTurnBefore, type Stores } from '../../memory/index.ts';
import type { SmallModel } from '../../models/index.ts';
import { redactDeep } from '../../privacy/index.ts';
import type { Distilled, DistillInput } from '../distiller.ts';
import { admissionOf } from '../admission.ts';
import { isNoted, notedIn } from '../notes/store-notes.ts';
import { relatedMemories } from '../related.ts';
import { distillable } from '../unfinished.ts';
import { smallDistiller } from './distiller.ts';

/** `gone`: there is no such turn any more. `other`: another tool made its memories, or it has not ended. */
type Passed = 'gone' | 'other' | 'trivial' | 'changed';

export type Kept =
  | { readonly kind: 'kept'; readonly memories: readonly Memory[] }
  | { readonly kind: 'passed'; readonly reason: Passed };

export type ToKeep =
  | { readonly kind: 'ask'; readonly hash: string; readonly input: DistillInput }
  | { readonly kind: 'passed'; readonly reason: Passed };

export async function keepTurn(
  stores: Stores,
  model: SmallModel,
  id: string,
  now: Date,
  signal: AbortSignal,
): Promise<Kept> {
  const prepared = await prepareKeep(stores, id, now);
  if (prepared.kind === 'passed') return prepared;
  const distilled = await smallDistiller(model).distill(prepared.input, signal);
  return storeKept(stores, prepared, distilled, now);
}

/** Reads the turn and the memories it may be about. Marks a trivial turn, which needs no model. */
export async function prepareKeep(stores: Stores, id: string, now: Date): Promise<ToKeep> {
  const { index } = stores;
  const indexed = index.turn(id);
  const stored = indexed?.location && (await stores.turns.get(indexed.location));
  if (!stored) return { kind: 'passed', reason: 'gone' };
  const by = index.distilledBy(id);
  if (by !== RULES_MAKER && by !== SMALL_MAKER) return { kind: 'passed', reason: 'other' };
  const turn = distillable(stored);
  const previous = await sessionTurnBefore(stores, turn);
  if (!admissionOf(turn, previous).admitted) {
    await mark(stores, id, [], now);
    return { kind: 'passed', reason: 'trivial' };
  }
  const root = index.session(turn.session)?.worktree;
  const related = relatedMemories(index, turn, previous, root);
  return { kind: 'ask', hash: indexed.hash, input: { turn, related, ...given({ previous, root }) } };
}

/** Stores nothing if the turn changed or was forgotten meanwhile. */
export async function storeKept(
  stores: Stores,
  { hash, input: { turn, root } }: Extract<ToKeep, { kind: 'ask' }>,
  { operations }: Distilled,
  now: Date,
): Promise<Kept> {
  if (stores.index.turn(turn.id)?.hash !== hash) return { kind: 'passed', reason: 'changed' };
  const notes = notedIn(stores, turn.id);
  const safe = redactDeep(operations).value;
  const memories = await applyOperations(stores, turn, safe, SMALL_MAKER, root, (memory) => {
    return notes.length === 0 || !isNoted(memory, turn, notes);
  });
  await mark(stores, turn.id, memories, now);
  return { kind: 'kept', memories };
}

async function mark(stores: Stores, turn: string, made: readonly Memory[], now: Date): Promise<void> {
  const memories = made.map(({ id }) => id);
  await stores.ledger.append({ kind: 'distilled', at: now.toISOString(), turn, by: SMALL_MAKER, memories });
  stores.index.markDistilled(turn, SMALL_MAKER, memories);
}
