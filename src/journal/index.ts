export { isLater } from './_forgotten-list.ts';
export { Journal, type Found } from './journal.ts';
export { PAGE_LINES, renderPage, type PageLine, type PageOptions, type PageSection } from './page.ts';
export { mergeFiles } from './merge-files.ts';
export { parseDay } from './parse.ts';
export { bringBack, finishMoves, IN_REPOSITORY, isAway, moveProject, targetOf } from './project-folder.ts';
export { tidyHead, tidyMemory } from './tidy.ts';
export type {
  ArchiveReport,
  DayContext,
  FileMark,
  Hand,
  JournalFile,
  JournalOptions,
  JournalProblem,
  MemoryPatch,
  ParsedDay,
  ParsedEntry,
  Place,
  PutOptions,
  PutResult,
  SessionHead,
  SharedTombstone,
  StateChange,
} from './types.ts';
