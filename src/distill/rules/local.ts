/**
 * The distiller that uses rules and no model: it reads every turn first, and alone where there is no model. Stores explicit
 * statements only. Deterministic: no clock, no I/O. Prefers no memory to a useless one.
 */
import {
  editedFiles,
  MAX_FILES,
  type MemoryDraft,
  RULES_MAKER,
  type StoredTurn,
  withoutNotes,
} from '../../core/index.ts';
import { admit } from '../admission.ts';
import { heardIn, isSaid } from '../attribution.ts';
import type { Distiller } from '../distiller.ts';
import { endingsOf } from './ended.ts';
import { reportedBy } from './reported.ts';
import { saidBy } from './said.ts';
import { isAlike } from './title.ts';

export { reportOf } from './reported.ts';

/** More memories from one turn would not be read. */
const MAX_MEMORIES = 4;

export const localDistiller: Distiller = {
  name: RULES_MAKER,
  distill: (input) => {
    const { root, previous } = input;
    const turn = withoutNoteLines(input.turn);
    const over = endingsOf(turn, previous);
    // The query for related memories is needed only if something is over.
    const ended = over === undefined ? [] : input.related.filter(over);
    return Promise.resolve({
      operations: [
        ...draftsOf(turn, root, previous).map((draft) => ({ op: 'add' as const, draft, ends: [] })),
        ...ended.map(({ id }) => ({ op: 'end' as const, id })),
      ],
    });
  },
};

/** The notes of the agent are stored as such and not read again. */
export function draftsOf(given: StoredTurn, root?: string, previous?: StoredTurn): readonly MemoryDraft[] {
  const turn = withoutNoteLines(given);
  const admission = admit(turn);
  if (!admission.admitted) return [];
  const kept: MemoryDraft[] = [];
  const files = editedFiles(turn, root).slice(0, MAX_FILES);
  const all = [...userDrafts(turn, previous), ...(admission.answer ? reportedBy(turn, root, previous) : [])];
  for (const draft of all) {
    const wanted = admission.kinds === 'all' || admission.kinds.includes(draft.kind);
    if (!wanted || kept.some((other) => isAlike(other.title, draft.title))) continue;
    // A rule is about more than the files of its turn.
    kept.push(draft.kind === 'preference' ? draft : { ...draft, files });
  }
  return kept.slice(0, MAX_MEMORIES);
}

function withoutNoteLines(turn: StoredTurn): StoredTurn {
  return { ...turn, answer: withoutNotes(turn.answer) };
}

/** An agreement may take its subject from the agent's answer: what the user did not say is a claim. */
function userDrafts(turn: StoredTurn, previous: StoredTurn | undefined): readonly MemoryDraft[] {
  const drafts = saidBy(turn, previous);
  if (drafts.length === 0) return [];
  const heard = heardIn(turn, previous);
  return drafts.map((draft) => (isSaid(draft.title, heard) ? draft : { ...draft, evidence: 'claimed' }));
}
