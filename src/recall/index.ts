export { age, shortDate } from './ages.ts';
export { brief, NO_MEMORIES, whyNoBrief } from './context/brief.ts';
export { fileContext } from './context/file-context.ts';
export { isMachineMade, promptContext } from './context/prompt-context.ts';
export { resumeContext } from './context/resume.ts';
export { cutToTokens, entryCost, isWholeInBrief, renderEntry, tokenCost } from './context/render.ts';
export { type Leading, leadingSession } from './leading-session.ts';
export { foundIn, matchedWords } from './matched.ts';
export { type SectionFound, alsoWritten } from './own-files/search-own-files.ts';
export {
  type IndexedSection,
  type OwnSection,
  OwnFiles,
  isSectionId,
  writtenBy,
} from './own-files/own-files.ts';
export { frontMatter, plainMarkdown, sectionsOf } from './own-files/sections.ts';
export { unsearchable } from './no-match.ts';
export { parseQuery } from './query.ts';
export type { MemoryStore } from './ranking/asking.ts';
export { type Read, seenOf, type Signs, signsOf } from './ranking/gate.ts';
export { focusOf } from './ranking/focus.ts';
export { readable, type ToRead } from './ranking/reading.ts';
export { type By, rarityIn } from './ranking/score.ts';
export {
  type BranchNow,
  type FileChange,
  type FilesNow,
  type Signals,
  byNameOnly,
  changeNote,
} from './ranking/signals.ts';
export {
  MEANING,
  NEAR_WEIGHTS,
  PROMPT_LIMIT,
  GATE,
  PROMPT_NEAR_BEST,
  READ,
  READING,
  SESSION_WHOLE,
  STOP,
  TEXT,
} from './ranking/weights.ts';
export {
  type Hit,
  type SearchOptions,
  type SearchResult,
  search,
  searchStore,
  withProblems,
} from './search.ts';
export { laterNote, saidLater } from './said-later.ts';
export { searchSessions } from './sessions.ts';
export { type Action, type StopOptions, stopFor } from './stop/stop.ts';
export { spanOf, TIME_HINT } from './times.ts';
export { type TurnFound, alsoSaid, searchTurns } from './turns.ts';
export { activity, firstDayOf } from './views/activity.ts';
export {
  type Change,
  type UsedMemory,
  HOME_ROWS,
  latestAndOpen,
  latestChanges,
  usedToday,
} from './views/home.ts';
export {
  type ListedMemories,
  type MemoryPageQuery,
  agentsIn,
  inForce,
  kindCounts,
  latestFirst,
  memoryPage,
} from './views/listings.ts';
export { memoryDetail, type MemoryRef, type Relations, relationsOf } from './views/memory-detail.ts';
export { overview } from './views/overview.ts';
export { type Receipt, appearsLine, receiptOf } from './views/receipt.ts';
export { sessionCard, sessionDetail } from './views/session-detail.ts';
export { markdownPage, sessionsMarkdown } from './views/markdown.ts';
export { titleOfSession } from './views/session-title.ts';
export { type Timeline, timeline } from './views/timeline.ts';
export { searchReasons } from './views/reasons.ts';
export { type Moment, type RecalledMemory, why } from './views/why.ts';
export { ZoneDays, addDays, zoneDays } from './zone-days.ts';
