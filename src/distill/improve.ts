/**
 * Distills a turn with a language model, after the rules did: builds the request from the turn and the memories it may be
 * about, and stores the operations of the reply.
 */
import { given, type Memory, spokenText, type StoredTurn } from '../core/index.ts';
import { applyOperations, sessionTurnBefore, type Stores } from '../memory/index.ts';
import { redactDeep } from '../privacy/index.ts';
import { admit, type Admission } from './admission.ts';
import { notedIn } from './notes/store-notes.ts';
import { relatedMemories } from './related.ts';
import { replyOperations } from './reply-operations.ts';
import type { ReplyOperation } from './reply/parse-reply.ts';
import { turnRequest, type TurnRequest } from './request.ts';
import { distillable } from './unfinished.ts';

export type Prepared =
  | { readonly kind: 'ask'; readonly turn: StoredTurn; readonly hash: string; readonly request: TurnRequest }
  | { readonly kind: 'pass'; readonly reason: 'gone' | 'trivial' };

/** Builds the request for a turn. Trivial turns need none. */
export async function prepareTurn(stores: Stores, id: string): Promise<Prepared> {
  const { index } = stores;
  const indexed = index.turn(id);
  const stored = indexed?.location && (await stores.turns.get(indexed.location));
  if (!stored) return { kind: 'pass', reason: 'gone' };
  const turn = distillable(stored);
  const root = index.session(turn.session)?.worktree;
  const previous = await sessionTurnBefore(stores, turn);
  if (!admissionOf(turn, previous).admitted) return { kind: 'pass', reason: 'trivial' };
  const related = relatedMemories(index, turn, previous, root);
  const request = turnRequest({ turn, related, ...given({ previous, root }) }, notedIn(stores, turn.id));
  return { kind: 'ask', turn, hash: indexed.hash, request };
}

/** Returns undefined if the turn changed or was forgotten while the model read it: the reply is about another turn. */
export async function storeImproved(
  stores: Stores,
  { turn, hash, request: { names } }: Extract<Prepared, { kind: 'ask' }>,
  reply: readonly ReplyOperation[],
  by: string,
  now: Date,
): Promise<readonly Memory[] | undefined> {
  if (stores.index.turn(turn.id)?.hash !== hash) return undefined;
  const previous = await sessionTurnBefore(stores, turn);
  const admission = admissionOf(turn, previous);
  const operations = replyOperations(reply, { turn, previous }, admission, (name) => {
    const id = names.get(name);
    return id === undefined ? undefined : stores.index.memory(id);
  });
  const root = stores.index.session(turn.session)?.worktree;
  const made = await applyOperations(stores, turn, redactDeep(operations).value, by, root);
  const ids = made.map(({ id }) => id);
  await stores.ledger.append({ kind: 'distilled', at: now.toISOString(), turn: turn.id, by, memories: ids });
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

/** A short prompt that is trivial by itself may answer a question or choose an option: "9 it is". */
export function admissionOf(turn: StoredTurn, previous: StoredTurn | undefined): Admission {
  const admission = admit(turn);
  const isAnswer =
    !admission.admitted &&
    admission.reason === 'trivial' &&
    turn.outcome === 'answered' &&
    previous !== undefined &&
    (ASKS.test(spokenText(previous.answer).slice(-ASKED_IN)) || CHOOSES.test(spokenText(turn.prompt)));
  return isAnswer ? { admitted: true, kinds: 'all', answer: true } : admission;
}

/** The end of an answer, where an agent asks. */
const ASKED_IN = 600;
/** A choice after a comparison that asked nothing: "9 it is", "threads stay". */
const CHOOSES = /\d|\b(?:it is|go with|take|keep|leave|stays?)\b/i;
const ASKS = /[?？]|^\s*(?:[-*]|\d+[.)]|\*{0,2}[A-D][.):])\s/m;
