/**
 * The distiller without a model: finds decisions, work, findings, rejections, preferences and open issues in a turn by the
 * rules of this folder. Deterministic: no clock, no I/O, no memory of other turns. Prefers no memory to a useless one.
 */
import { RULES_MAKER, type MemoryDraft, type StoredTurn } from '../../core/index.ts';
import { admit } from '../admission.ts';
import type { Distiller } from '../distiller.ts';
import { findingOf } from './_findings.ts';
import type { Statement } from './_statement.ts';
import { statementsOf } from './_statements.ts';
import { troubleOf } from './_trouble.ts';
import { workOf, type Work } from './_work.ts';
import { MAX_FILES, editedFiles } from './files.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import { isAlike, wordsOf } from './title.ts';

/** More memories from one turn would not be read. */
const MAX_MEMORIES = 4;
/** Most of a long prompt is pasted: a plan, a log, a review. Only its beginning is the user's own text. */
const MAX_OWN_WORDS = 1500;

export const localDistiller: Distiller = {
  name: RULES_MAKER,
  distill: ({ turn, root }) =>
    Promise.resolve({
      operations: draftsOf(turn, root).map((draft) => ({ op: 'add' as const, draft, ends: [] })),
    }),
};

export function draftsOf(turn: StoredTurn, root?: string): readonly MemoryDraft[] {
  const admission = admit(turn);
  if (!admission.admitted) return [];
  const own = ownWords(turn);
  const answer = admission.answer ? sentencesOf(turn.answer, 'agent') : [];
  const finding = findingOf(turn, answer);
  const done = workOf(turn, answer, finding, root);
  const said = statementsOf(own, answer, done ? undefined : finding);
  const work = done && !isBeside(done, said, own) ? done : undefined;
  const statements = said.filter((statement) => !isPartOf(statement, work));
  const files = editedFiles(turn, root).slice(0, MAX_FILES);
  const drafts = [
    ...statements.map(({ draft }) => (draft.kind === 'preference' ? draft : { ...draft, files })),
    ...(work ? [work.draft] : []),
  ];
  const open = drafts.length === 0 && !done ? troubleOf(turn, own) : undefined;
  return [...drafts, ...(open ? [open] : [])]
    .filter((draft) => admission.kinds === 'all' || admission.kinds.includes(draft.kind))
    .toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    .slice(0, MAX_MEMORIES);
}

/** A small change that follows a statement of the user: the statement is the memory. */
function isBeside(work: Work, said: readonly Statement[], own: readonly Sentence[]): boolean {
  if (!work.small || !said.some(({ source }) => source.from === 'person')) return false;
  const rest = own.filter((sentence) => !said.some(({ source }) => source === sentence));
  return rest.every(({ text }) => text.endsWith('?') || wordsOf(text).length < ASIDE_WORDS);
}

/** "raise the limiter", "no, not like that": only refers to the statement. */
const ASIDE_WORDS = 5;

/** The same sentence or nearly the same words as the work; a finding on the way to a fix is in the fix's body. */
function isPartOf({ source, draft }: Statement, work: Work | undefined): boolean {
  if (work === undefined) return false;
  if (source === work.source || isAlike(work.draft.title, draft.title)) return true;
  return draft.kind === 'discovery' && source.from === 'agent' && work.draft.kind === 'bugfix';
}

/** The most valuable kinds first. */
const ORDER: readonly MemoryDraft['kind'][] = [
  'preference',
  'decision',
  'bugfix',
  'feature',
  'refactor',
  'dead_end',
  'issue',
  'discovery',
  'pattern',
];

/** The client sends the summary of a conversation that ran out of context as a prompt. */
const CONTINUED = /^\s*This session is being continued from a previous conversation/;

/** A longer passage in quotation marks is someone else's; a word or two may be emphasis. */
const QUOTED = /"[^"\n]{25,800}"|“[^”]{25,800}”/g;

function ownWords(turn: StoredTurn): readonly Sentence[] {
  if (turn.origin !== 'person' || CONTINUED.test(turn.prompt)) return [];
  const opening =
    turn.prompt.length <= MAX_OWN_WORDS
      ? turn.prompt
      : turn.prompt.slice(0, MAX_OWN_WORDS).replace(/^#{1,6} [\s\S]*$/m, '');
  return sentencesOf(opening.replace(QUOTED, '…'), 'person');
}
