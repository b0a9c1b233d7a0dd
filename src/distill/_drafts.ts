/** What one turn is worth by the rules of this folder. Pure. Prefers silence to a memory nobody would keep. */
import type { MemoryDraft, StoredTurn } from '../model/index.ts';
import { admit } from './admission.ts';
import { MAX_FILES, editedFiles } from './_files.ts';
import { sentencesOf, type Sentence } from './_sentences.ts';
import { statementsOf } from './_statements.ts';
import { isAlike } from './_title.ts';
import { workOf } from './_work.ts';

/** More than this from one turn, and the reader reads none. */
const MAX_MEMORIES = 4;
/** Of a long prompt most is pasted: a plan, a log, a review. Only its opening is the person's own. */
const MAX_OWN_WORDS = 1500;

export function draftsOf(turn: StoredTurn, root?: string): readonly MemoryDraft[] {
  const admission = admit(turn);
  if (!admission.admitted) return [];
  const answer = sentencesOf(turn.answer, 'agent');
  const statements = statementsOf(ownWords(turn), answer);
  const work = workOf(turn, answer, root);
  const files = editedFiles(turn, root).slice(0, MAX_FILES);
  const drafts = [
    ...statements
      .filter(
        ({ source, draft }) => source !== work?.source && !(work && isAlike(work.draft.title, draft.title)),
      )
      .map(({ draft }) => (draft.kind === 'preference' ? draft : { ...draft, files })),
    ...(work ? [work.draft] : []),
  ];
  return drafts
    .filter((draft) => admission.kinds === 'all' || admission.kinds.includes(draft.kind))
    .toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    .slice(0, MAX_MEMORIES);
}

/** What is lost least gladly comes first. */
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

function ownWords(turn: StoredTurn): readonly Sentence[] {
  if (turn.origin !== 'person') return [];
  const opening =
    turn.prompt.length <= MAX_OWN_WORDS
      ? turn.prompt
      : turn.prompt.slice(0, MAX_OWN_WORDS).replace(/^#{1,6} [\s\S]*$/m, '');
  return sentencesOf(opening, 'person');
}
