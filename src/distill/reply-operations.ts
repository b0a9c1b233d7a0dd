/** Turns a model's reply or the agent's notes into operations. Evidence is looked up in the turn, whatever they claim. Pure. */
import {
  EVIDENCE,
  type Evidence,
  evidenceOf,
  given,
  isOfUser,
  type Memory,
  type MemoryDraft,
  type Operation,
  PERSONAL_PROJECT,
  RULE_KINDS,
  type StoredTurn,
  USER_MAKER,
} from '../core/index.ts';
import { statementOf } from '../memory/index.ts';
import type { Admission } from './admission.ts';
import { evidenceFor } from './evidence.ts';
import type { ReplyOperation } from './reply/parse-reply.ts';
import { isOfProject, saysEverywhere } from './rules/scope.ts';
import { isAlike } from './rules/title.ts';

/** Leaves out what the turn cannot prove and what would end the wrong memory. */
export function replyOperations(
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
    const ended = [
      ...(isRevision ? [target] : []),
      ...operation.ends.flatMap((name) => find(name) ?? []),
    ].filter((memory) => mayEnd(memory, evidence, `${whole.title} ${turn.prompt}`));
    const personal = isForEveryProject(whole, quote, ended);
    // A rule of one project leaves the user's rule for every project in force elsewhere.
    const ends = ended.filter(({ project }) => personal || project !== PERSONAL_PROJECT).map(({ id }) => id);
    return [{ op: 'add', draft: { ...whole, ...(personal && { personal }) }, ends: [...new Set(ends)] }];
  });
}

/** The user says so, or it takes the place of a memory for every project and does not name this one. */
function isForEveryProject(draft: MemoryDraft, quote: string, ended: readonly Memory[]): boolean {
  if (draft.personal) return true;
  if (draft.kind !== 'preference' || draft.evidence !== 'said') return false;
  return (
    saysEverywhere(quote) ||
    (ended.some(({ project }) => project === PERSONAL_PROJECT) && !isOfProject(quote))
  );
}

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
