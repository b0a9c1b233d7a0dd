/**
 * Distils a turn with a language model, after the rules did: builds the request from the turn and the memories it may be
 * about, and turns the reply into operations. Evidence is looked up in the turn, whatever the reply claims.
 */
import {
  AGENT_MAKER,
  EVIDENCE,
  type Evidence,
  evidenceOf,
  given,
  isOfUser,
  MAX_PER_TURN,
  type Memory,
  type MemoryDraft,
  type Operation,
  RULE_KINDS,
  spokenText,
  type StoredTurn,
  USER_MAKER,
} from '../core/index.ts';
import { applyOperations, sessionTurnBefore, statementOf, type Stores } from '../memory/index.ts';
import { redactDeep } from '../privacy/index.ts';
import { admit, type Admission } from './admission.ts';
import { evidenceFor } from './evidence.ts';
import { relatedMemories } from './related.ts';
import type { ReplyOperation } from './reply/parse-reply.ts';
import { turnRequest, type TurnRequest } from './request.ts';
import { isAlike } from './rules/title.ts';
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
  const noted = index
    .memoriesBy({ turn: turn.id, limit: MAX_PER_TURN })
    .filter(({ provenance }) => provenance.by === AGENT_MAKER);
  const request = turnRequest({ turn, related, ...given({ previous, root }) }, noted);
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
  const admission = admissionOf(turn, await sessionTurnBefore(stores, turn));
  const operations = operationsOf(reply, turn, admission, (name) => {
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

/** Turns a reply into operations: leaves out what the turn cannot prove and what would end the wrong memory. */
export function operationsOf(
  reply: readonly ReplyOperation[],
  turn: StoredTurn,
  admission: Admission,
  find: (name: string) => Memory | undefined,
): readonly Operation[] {
  if (!admission.admitted) return [];
  return reply.flatMap((operation): readonly Operation[] => {
    const target = find(operation.id);
    const { draft, quote } = operation;
    if (!draft) {
      const evidence = evidenceFor(turn, quote);
      return target && mayEnd(target, evidence, turn.prompt) ? [{ op: 'end', id: target.id }] : [];
    }
    const kind = draft.kind ?? target?.kind;
    if (kind === undefined || (admission.kinds !== 'all' && !admission.kinds.includes(kind))) return [];
    const evidence = evidenceFor(turn, quote, kind);
    if (evidence === 'quoted' && RULE_KINDS.includes(kind)) return [];
    const isRevision = operation.op === 'revise' && target !== undefined;
    if (isRevision && !mayEnd(target, evidence, `${draft.title} ${turn.prompt}`)) return [];
    const text = isRevision ? inherited(target, draft) : draft;
    if (text.title === '') return [];
    const whole: MemoryDraft = {
      ...text,
      kind,
      evidence: isRevision ? revisedEvidence(target, text.title, evidence) : evidence,
    };
    const ended = [...(isRevision ? [target] : []), ...operation.ends.flatMap((name) => find(name) ?? [])];
    const ends = ended
      .filter((memory) => mayEnd(memory, evidence, `${whole.title} ${turn.prompt}`))
      .map(({ id }) => id);
    return [{ op: 'add', draft: whole, ends: [...new Set(ends)] }];
  });
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

/** A revised entry keeps what the reply leaves empty. */
function inherited(target: Memory, draft: Omit<MemoryDraft, 'kind'>): Omit<MemoryDraft, 'kind'> {
  const list = (name: 'facts' | 'concepts' | 'files') =>
    draft[name].length > 0 ? draft[name] : target[name];
  return {
    ...draft,
    title: draft.title || target.title,
    body: draft.body || target.body,
    facts: list('facts'),
    concepts: list('concepts'),
    files: list('files'),
    ...given({ reason: draft.reason ?? target.reason }),
  };
}

/** A statement of the user that the agent makes more exact is still the user's; another text is not. */
function revisedEvidence(target: Memory, title: string, evidence: Evidence): Evidence {
  const before = evidenceOf(target);
  const isBetter = EVIDENCE.indexOf(before) < EVIDENCE.indexOf(evidence);
  return isBetter && isAlike(target.title, title) ? before : evidence;
}

/**
 * Quoted text ends nothing. An agent may follow a hostile text, so the user's rules end only by the user's own words; a
 * memory that the user wrote also only if `text` (the prompt, and the title of its replacement) mentions its subject.
 */
function mayEnd(target: Memory, evidence: Evidence, text: string): boolean {
  if (evidence === 'quoted') return false;
  if (!isOfUser(target)) return true;
  return evidence === 'said' && (target.provenance.by !== USER_MAKER || isMentioned(target, text));
}

/** Without this check, an answer that quotes any words of the prompt could end every memory. */
function isMentioned(target: Memory, text: string): boolean {
  const { words } = statementOf({ ...target, title: `${target.title} ${target.body}` });
  const mentioned = statementOf({ ...target, title: text.slice(0, MAX_SUBJECT) }).words;
  return [...words].some((word) => mentioned.has(word));
}

/** Enough of a prompt to find its subject. */
const MAX_SUBJECT = 4000;
