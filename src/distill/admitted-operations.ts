/** Turns what the agent's notes or the small model propose into operations. Evidence is looked up in the turn, whatever they claim. Pure. */
import {
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
import { isOfProject, saysEverywhere } from './rules/scope.ts';

export type ProposedOperation = ProposedAdd | ProposedEnd;

export interface ProposedAdd {
  readonly op: 'add';
  /** Names of memories. */
  readonly ends: readonly string[];
  readonly quote: string;
  readonly draft: MemoryDraft;
}

export interface ProposedEnd {
  readonly op: 'end';
  /** The name of a memory. */
  readonly id: string;
  readonly quote: string;
}

/** A turn, and the one before it in the session. */
export interface Talk {
  readonly turn: StoredTurn;
  readonly previous?: StoredTurn | undefined;
  /** How much of each clause must be the user's words. */
  readonly share: number;
}

/** Leaves out what the turn cannot prove and what would end the wrong memory. */
export function admittedOperations(
  proposed: readonly ProposedOperation[],
  { turn, previous, share }: Talk,
  admission: Admission,
  find: (name: string) => Memory | undefined,
): readonly Operation[] {
  if (!admission.admitted) return [];
  const heard = heardIn(turn, previous, share);
  return proposed.flatMap((operation): readonly Operation[] => {
    const { quote } = operation;
    if (operation.op === 'end') {
      const target = find(operation.id);
      const ending = { evidence: evidenceFor(turn, quote), text: quote };
      return target && isAllowed(target, ending, turn, heard) ? [{ op: 'end', id: target.id }] : [];
    }
    const { draft } = operation;
    const { kind, title } = draft;
    if (title === '' || (admission.kinds !== 'all' && !admission.kinds.includes(kind))) return [];
    const evidence = evidenceFor(turn, quote, kind);
    if (evidence === 'quoted' && RULE_KINDS.includes(kind)) return [];
    const ended = operation.ends.flatMap((name) => find(name) ?? []);
    // "Spaces, not tabs" repeats what the user said before.
    const known = withWords(
      heard,
      ended.filter(isOfUser).map((memory) => memory.title),
    );
    const made = attributed(draft, evidence, quote, known, () => evidenceFor(turn, '', kind));
    const ending = { evidence: made.evidence ?? 'claimed', kind, text: title };
    const over = ended.filter((memory) => isAllowed(memory, ending, turn, heard));
    const personal = isForEveryProject(made, quote, over);
    // A rule of one project leaves the user's rule for every project in force elsewhere.
    const ends = over.filter(({ project }) => personal || project !== PERSONAL_PROJECT).map(({ id }) => id);
    return [{ op: 'add', draft: { ...made, ...(personal && { personal }) }, ends: [...new Set(ends)] }];
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
