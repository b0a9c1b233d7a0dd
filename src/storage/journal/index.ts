export { isLater } from './forgotten-list.ts';
export { tidyMemory } from './format/normalise.ts';
export { parseDay } from './format/parse.ts';
export { type ProjectPageSection, renderProjectPage } from './format/project-page.ts';
export { Journal } from './journal.ts';
export { mergeFiles } from './merge/files.ts';
export { IN_REPOSITORY, bringBack, finishMoves, isAway, moveProject, targetOf } from './project-folder.ts';
export type {
  ArchiveReport,
  Hand,
  JournalFile,
  JournalOptions,
  JournalProblem,
  MemoryPatch,
  SessionHead,
  StateChange,
} from './types.ts';
