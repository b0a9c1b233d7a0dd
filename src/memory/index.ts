export { applyMerged, dropMerged, addMemories, isWanted, writeEntries, memoriesOf } from './add-memories.ts';
export { type StoredNote, noteId, storeAgentNote } from './agent-note.ts';
export { archiveDays } from './archive.ts';
export { contradicts } from './compare/contradiction.ts';
export type { Source } from './compare/reconcile.ts';
export { resolves } from './compare/resolution.ts';
export { isSameOfTurn } from './compare/same.ts';
export { type Statement, statementOf, textHash } from './compare/statement.ts';
export { areAboutSame } from './compare/subject.ts';
export { likenessOfTalk, topicTokens } from './compare/talk.ts';
export {
  checkRevision,
  editMemory,
  mergeMemories,
  moveMemory,
  settleMemories,
  supersedeMemory,
  unmergeMemories,
} from './edit-memory.ts';
export { eraseFromFolder } from './erase-copies.ts';
export {
  anythingNamed,
  noMemory,
  sessionBeginning,
  sessionNamed,
  shortStart,
  type Named,
} from './find-by-id.ts';
export { UNDO_MS, eraseLeftovers, forgetMemories, sweepForgotten, unforget } from './forget.ts';
export { type Intake, syncJournal, takeInJournal } from './journal-sync.ts';
export { type Ending, mayEnd } from './may-end.ts';
export { applyOperations, withEnds } from './operations.ts';
export { personalProject } from './personal-project.ts';
export { queueOrStore, review } from './review.ts';
export { findSample, removeSample, SAMPLE_SESSIONS, type SampleFound } from './sample.ts';
export { headOf } from './sessions/session-head.ts';
export { dropPrompt, importedSummary, promptKey, putImportedSummary } from './sessions/session-notes.ts';
export {
  IMPORTED,
  INTERRUPTED_AFTER_MS,
  type SessionRecord,
  applySession,
  closeSession,
  recordSession,
  summarizeSession,
  touchSession,
  sessionTurnBefore,
  sessionTurns,
} from './sessions/sessions.ts';
export { BUILT, type OpenedStores, REBUILT, type Stores, openStoresWith, removeIndex } from './stores.ts';
export { type Trash, type TrashedMemory, listTrash } from './trash.ts';
export { type Undone, undoLast } from './undo.ts';
export { trimTurns } from './trim-turns.ts';
