export { applyMerged, dropMerged, addMemories, isWanted, writeEntries } from './add-memories.ts';
export { type ArchiveArgs, archiveDays } from './archive.ts';
export type { Source } from './compare/reconcile.ts';
export { isSameOfTurn } from './compare/same.ts';
export { type Statement, statementOf, textHash } from './compare/statement.ts';
export {
  editMemory,
  mergeMemories,
  moveMemory,
  settleMemories,
  supersedeMemory,
  unmergeMemories,
} from './edit-memory.ts';
export { eraseFromFolder } from './erase-copies.ts';
export { noMemory, sessionNamed, turnNamed } from './find-by-id.ts';
export { UNDO_MS, forgetMemories, sweepForgotten, unforget } from './forget.ts';
export { memoriesOf } from './from-drafts.ts';
export { type Intake, takeInJournal } from './journal-intake.ts';
export { syncJournal } from './journal-sync.ts';
export { personalProject } from './personal.ts';
export { queueOrStore } from './queue-or-store.ts';
export { type Verdict, review } from './review.ts';
export { checkRevision } from './revision.ts';
export { modelSummary, putModelSummary } from './sessions/model-summary.ts';
export { dropNote, metaKey } from './sessions/prompt-note.ts';
export { headOf, sessionHead } from './sessions/session-head.ts';
export {
  IMPORTED,
  INTERRUPTED_AFTER_MS,
  type SessionRecord,
  applySession,
  closeSession,
  recordSession,
  summarizeSession,
  touchSession,
  wholeTurns,
} from './sessions/sessions.ts';
export {
  BUILT,
  type OpenedStores,
  type ProjectPageWriter,
  REBUILT,
  type Stores,
  openStoresWith,
  removeIndex,
} from './stores.ts';
export { trimTurns } from './trim-turns.ts';
