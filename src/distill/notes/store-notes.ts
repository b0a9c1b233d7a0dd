/**
 * Stores the notes that the agent wrote into its answer as memories of the turn. Reading the same answer again changes
 * nothing. Evidence is looked up in the turn, and quoted text never becomes a rule.
 */
import {
  AGENT_MAKER,
  bareWords,
  editedFiles,
  isWordOrYear,
  MAX_FILES,
  MAX_PER_TURN,
  type Memory,
  type Operation,
  PERSONAL_PROJECT,
  RULE_KINDS,
  splitNotes,
  type StoredTurn,
  WORK_KINDS,
} from '../../core/index.ts';
import {
  applyOperations,
  isSameOfTurn,
  sessionTurnBefore,
  statementOf,
  type Statement,
  type Stores,
} from '../../memory/index.ts';
import { redactDeep } from '../../privacy/index.ts';
import { admit, type Admission } from '../admission.ts';
import { SHARE } from '../attribution.ts';
import { admittedOperations, type Talk } from '../admitted-operations.ts';
import { parseNotes } from './parse-notes.ts';

/** A note of the session is among the newest memories. */
const MAX_RECENT = 100;
/** An answer that ends more memories than this is a mistake or an attack, and ends none. */
const MAX_ENDED = 8;
/** Shorter quotes are part of many sentences. */
const MIN_QUOTE = 8;

export function hasNotes({ answer, outcome }: Pick<StoredTurn, 'answer' | 'outcome'>): boolean {
  // The agent may still change its mind.
  return outcome !== 'open' && splitNotes(answer).notes.length > 0;
}

/** Returns the memories that the notes became. */
export async function storeNotes(
  stores: Stores,
  turn: StoredTurn,
  root: string | undefined,
): Promise<readonly Memory[]> {
  if (!stores.takesNotes()) return [];
  if (!hasNotes(turn)) return [];
  const previous = await sessionTurnBefore(stores, turn);
  const operations = noteOperations({ turn, previous, share: SHARE.reworded }, root, (id) =>
    memoryFor(stores, turn, id),
  );
  if (operations.length === 0) return [];
  return applyOperations(stores, turn, redactDeep(operations).value, AGENT_MAKER, root);
}

function noteOperations(
  talk: Talk,
  root: string | undefined,
  find: (id: string) => Memory | undefined,
): readonly Operation[] {
  const { turn } = talk;
  const { operations } = parseNotes(turn.answer);
  if (operations.length === 0) return [];
  const files = editedFiles(turn, root).slice(0, MAX_FILES);
  const found = admittedOperations(operations, talk, admissionOf(turn), find).map((operation) =>
    operation.op === 'add' && operation.draft.kind !== 'preference'
      ? { ...operation, draft: { ...operation.draft, files } }
      : operation,
  );
  const ended = new Set(found.flatMap((one) => (one.op === 'add' ? one.ends : [one.id])));
  if (ended.size <= MAX_ENDED) return found;
  return found.flatMap((one) => (one.op === 'add' ? [{ ...one, ends: [] }] : []));
}

/** Returns the memories that the agent noted in a turn, also those that wait for review. */
export function notedIn({ index }: Stores, turn: string): readonly Memory[] {
  const isNote = ({ provenance }: Memory): boolean =>
    provenance.turn === turn && provenance.by === AGENT_MAKER;
  const merged = index.mergedOfTurn(turn).map(({ memory }) => memory);
  return [...index.memoriesBy({ turn, limit: MAX_PER_TURN }), ...merged, ...index.waiting()].filter(isNote);
}

/** Whether a note already says what the rules found in the same turn: the agent read the same words and knows more. */
export function isNoted(
  memory: Memory,
  { answer }: Pick<StoredTurn, 'answer'>,
  notes: readonly Memory[],
): boolean {
  const said = bareWords(memory.body || memory.title);
  const quotes = parseNotes(answer).operations.map(({ quote }) => bareWords(quote));
  if (quotes.some((quote) => quote.length >= MIN_QUOTE && (said.includes(quote) || quote.includes(said))))
    return true;
  const statement = statementOf(memory);
  return notes.some((note) => {
    if (WORK_KINDS.includes(memory.kind) && WORK_KINDS.includes(note.kind)) return true;
    // The rules take the subject of an agreement from the answer; the agent's note says it better.
    if (memory.kind === 'decision' && note.kind === 'decision') return true;
    const other = statementOf(note);
    return isSameOfTurn(statement, other) || isWithin(statement, other);
  });
}

/** A rule of the same turn whose telling words are all in the note: "Use pg-boss then" adds nothing. */
function isWithin(rule: Statement, note: Statement): boolean {
  if (!RULE_KINDS.includes(rule.memory.kind) || !RULE_KINDS.includes(note.memory.kind)) return false;
  return rule.strong.size > 0 && [...rule.strong].every((word) => note.words.has(word));
}

/** A turn that is too short for a distiller may still have a note: "yes" can close a discussion. */
function admissionOf(turn: StoredTurn): Admission {
  const admission = admit(turn);
  if (admission.admitted || turn.outcome !== 'answered') return admission;
  return { admitted: true, kinds: 'all', answer: true };
}

/**
 * By the id or its beginning, or by the first words of a note of the same session. A note changes only memories of its own
 * project and of the user.
 */
function memoryFor(stores: Stores, turn: StoredTurn, name: string): Memory | undefined {
  if (/\s/.test(name) || isWordOrYear(name)) return ownNote(stores, turn, name);
  const { index } = stores;
  const { project } = turn;
  const memory = index.memory(name) ?? index.memory(index.merged(name)?.into ?? '');
  return memory?.project === project || memory?.project === PERSONAL_PROJECT ? memory : undefined;
}

/** The newest live note of the session that begins with these words. */
function ownNote({ index }: Stores, { session, project }: StoredTurn, words: string): Memory | undefined {
  const wanted = bareWords(words);
  return index
    .memoriesBy({ project, state: ['current', 'open'], limit: MAX_RECENT })
    .filter(({ provenance }) => provenance.session === session && provenance.by === AGENT_MAKER)
    .find(({ title }) => bareWords(title).startsWith(wanted));
}
