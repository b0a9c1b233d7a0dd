export { Journal, type Found } from './journal.ts';
export { PAGE_LINES, renderPage, type PageLine, type PageOptions, type PageSection } from './page.ts';
export { parseDay } from './parse.ts';
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
  StateChange,
} from './types.ts';
