export { watchFolder } from './_watch.ts';
export { isLater } from './forgotten-list.ts';
export { tidyMemory } from './format/normalise.ts';
export { parseDay } from './format/parse.ts';
export { Journal } from './journal.ts';
export { mergeFiles } from './merge/folder.ts';
export {
  IN_REPOSITORY,
  finishMoves,
  isUnavailable,
  moveBack,
  moveProject,
  targetOf,
} from './project-folder.ts';
export type {
  ArchiveReport,
  JournalFile,
  JournalOptions,
  JournalProblem,
  MemoryPatch,
  SessionHead,
  StateChange,
  UserChanges,
} from './types.ts';
