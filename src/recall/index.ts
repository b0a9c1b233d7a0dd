export { pageOf } from './page.ts';
export { activity, firstDayOf } from './activity.ts';
export { age, ageInDays, shortDate } from './ages.ts';
export { brief, type Brief, type BriefOptions } from './brief.ts';
export { editContext, type EditContext, type EditOptions } from './edit-context.ts';
export {
  promptContext,
  type PromptContext,
  type PromptOptions,
  type PromptReason,
} from './prompt-context.ts';
export { signsOf as gateSigns, type Signs } from './_gate.ts';
export { PROMPT_LIMIT, PROMPT_NEAR_BEST } from './weights.ts';
export { echoOf, tellingTokens } from './echo.ts';
export { foundIn, matchedWords } from './matched.ts';
export { fileNames, parseQuery, type Query } from './query.ts';
export type { MemoryStore } from './_asking.ts';
export { search, searchStore, type Hit, type SearchOptions, type SearchResult } from './search.ts';
export { searchSessions, type SessionFound } from './sessions.ts';
export type { By } from './_fuse.ts';
export type { ScorePart } from './_score.ts';
export { timeline, type Timeline, type TimelineOptions } from './timeline.ts';
export { cutToTokens, tokenCost } from './token-cost.ts';
export { alsoSaid, searchTurns, type TurnFound, type TurnSearchOptions } from './turns.ts';
export { addDays, zoneDays, type ZoneDays } from './zone-days.ts';
export { entryCost, isWholeInBrief, whole as memoryText } from './_render.ts';
export {
  changeNote,
  type BranchNow,
  type FileChange,
  type FilesNow,
  type Signals,
  type Used,
} from './signals.ts';
