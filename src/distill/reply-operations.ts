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
import { titleWords } from '../database/index.ts';
import { type Ending, mayEnd, statementOf } from '../memory/index.ts';
import type { Admission } from './admission.ts';
import { attributed, type Heard, heardIn, withWords } from './attribution.ts';
import { evidenceFor } from './evidence.ts';
import type { ReplyOperation } from './reply/parse-reply.ts';
import { isOfProject, saysEverywhere } from './rules/scope.ts';
import { isAlike } from './rules/title.ts';

/** A turn, and the one before it in the session. */
export interface Talk {
  readonly turn: StoredTurn;
  readonly previous?: StoredTurn | undefined;
  /** How much of each clause must be the user's words. Missing for a language model, which writes in words of its own. */
  readonly share?: number;
}

/** Leaves out what the turn cannot prove and what would end the wrong memory. */
export function replyOperations(
  reply: readonly ReplyOperation[],
  { turn, previous, share }: Talk,
  admission: Admission,
  find: (name: string) => Memory | undefined,
): readonly Operation[] {
  if (!admission.admitted) return [];
  const heard = heardIn(turn, previous, share);
  return reply.flatMap((operation): readonly Operation[] => {
    const target = find(operation.id);
    const { draft, quote } = operation;
    if (!draft) {
      const ending = { evidence: evidenceFor(turn, quote), text: quote };
      return target && isAllowed(target, ending, turn, heard) ? [{ op: 'end', id: target.id }] : [];
    }
    const kind = draft.kind ?? target?.kind;
    if (kind === undefined || (admission.kinds !== 'all' && !admission.kinds.includes(kind))) return [];
    const evidence = evidenceFor(turn, quote, kind);
    if (evidence === 'quoted' && RULE_KINDS.includes(kind)) return [];
    const isRevision = operation.op === 'revise' && target !== undefined;
    const text = { ...(isRevision ? inherited(target, draft) : draft), kind };
    if (text.title === '') return [];
    const ended = [...(isRevision ? [target] : []), ...operation.ends.flatMap((name) => find(name) ?? [])];
    // "Spaces, not tabs" repeats what the user said before.
    const known = withWords(
      heard,
      ended.filter(isOfUser).map(({ title }) => title),
    );
    const made =
      share === undefined
        ? { ...text, evidence }
        : attributed(text, evidence, quote, known, () => evidenceFor(turn, '', kind));
    const ending = { evidence: made.evidence ?? 'claimed', kind, text: text.title };
    if (isRevision && !isAllowed(target, ending, turn, heard)) return [];
    const whole: MemoryDraft = isRevision
      ? { ...made, evidence: revisedEvidence(target, made.title, ending.evidence) }
      : made;
    const over = ended.filter((memory) => isAllowed(memory, ending, turn, heard));
    const personal = isForEveryProject(whole, quote, over);
    // A rule of one project leaves the user's rule for every project in force elsewhere.
    const ends = over.filter(({ project }) => personal || project !== PERSONAL_PROJECT).map(({ id }) => id);
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

/** A memory that the user wrote ends only if the prompt, or the title of its replacement, also mentions its subject. */
function isAllowed(target: Memory, ending: Ending, turn: StoredTurn, heard: Heard): boolean {
  if (!mayEnd(target, { ...ending, asked: isAskedFor(target, ending, heard) })) return false;
  return target.provenance.by !== USER_MAKER || isMentioned(target, `${ending.text} ${turn.prompt}`);
}

/** Whether the user asked for the change: the words name the subject of the memory, and what is new. */
function isAskedFor({ title }: Memory, { text }: Ending, { words }: Heard): boolean {
  const before = new Set(titleWords(title));
  const fresh = titleWords(text).filter((word) => !before.has(word));
  return [...before].some((word) => words.has(word)) && fresh.some((word) => words.has(word));
}

/** Without this check, an answer that quotes any words of the prompt could end every memory. */
function isMentioned(target: Memory, text: string): boolean {
  const { words } = statementOf({ ...target, title: `${target.title} ${target.body}` });
  const mentioned = statementOf({ ...target, title: text.slice(0, MAX_SUBJECT) }).words;
  return [...words].some((word) => mentioned.has(word));
}

/** Enough of a prompt to find its subject. */
const MAX_SUBJECT = 4000;
