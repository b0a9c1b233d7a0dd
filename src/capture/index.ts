export { type NoteOutcome, type NoteRequest, noteFromAgent } from './agent-notes.ts';
export { applyRecord } from './apply-record.ts';
export { type LineStory, blame } from './blame.ts';
export { type GapQuestion, captureGap, gapLine } from './capture-gap.ts';
export type { Captured } from './follow-transcript.ts';
export { Branches } from './git/branches.ts';
export { folderOf, isFile, namesInProject } from './git/edited-file.ts';
export { FileStates, blobHash } from './git/file-states.ts';
export { askGit, type GitQuestion } from './git/git-process.ts';
export { completeFileSnapshots } from './git/past-snapshots.ts';
export { findRepository } from './git/repository.ts';
export { KNOWN_HEADS, signalsFrom } from './git/signals.ts';
export { type Answer, type PendingAction, type Question, answerHook, startsFresh } from './hook-answers.ts';
export { failedHooksIn } from './hook-log.ts';
export {
  type KnownSource,
  type SourceRecord,
  applySource,
  sourcesIn,
  writeSources,
} from './known-sources.ts';
export { openStores } from './open-stores.ts';
export { Pauses, applyPause, pausesIn } from './pauses.ts';
export { Pipeline, type Processed } from './pipeline.ts';
export { type JournalLocation, moveJournal, journalLocation } from './projects/journal-location.ts';
export { namedProject } from './projects/project.ts';
export {
  type CaptureScope,
  type ResolvedProject,
  EVERYWHERE,
  lookUpProject,
  projectOfFolder,
  isExcluded,
  resolveProject,
} from './projects/projects.ts';
export {
  type InjectionNote,
  type RedactionNote,
  noteInjection,
  noteRedactions,
  noteOpened,
} from './record-use.ts';
export { rememberedLine } from './remembered-line.ts';
export { rememberFromUser, storeFacts } from './remember.ts';
export { storeTurn, storeTurns } from './store-turn.ts';
export { sweep } from './sweep.ts';
export { UnfinishedReads } from './unfinished-reads.ts';
