export { daemonEnv, leaveDaemonEnv } from './daemon-process.ts';
export { TidemarkError } from './error.ts';
export {
  EDIT_TOOLS,
  ANSWER_LIMIT_MS,
  HOOK_BUDGET_MS,
  HOOK_NAMES,
  READ_TOOLS,
  TOOL_BUDGET_MS,
  type ClientProcess,
  type HookInput,
  type HookName,
  type SpooledEvent,
  isHookName,
} from './event.ts';
export { ID_PATTERN, contentHash, memoryId, revisionOf, shortHash, timeOfId } from './ids.ts';
export {
  AGENT_MAKER,
  EVIDENCE,
  type Ended,
  LONGEST_TITLE,
  checkTitle,
  type Evidence,
  MAX_PER_TURN,
  MEMORY_KINDS,
  MEMORY_STATES,
  RULE_KINDS,
  WORK_KINDS,
  type Memory,
  type MemoryDraft,
  type MemoryKind,
  type MemorySource,
  type MemoryState,
  type Operation,
  RULES_MAKER,
  SMALL_MAKER,
  SOURCE_MAKER,
  USER_MAKER,
  addedDrafts,
  evidenceOf,
  firstState,
  isLive,
  isOfUser,
  isStanding,
  sourceOf,
} from './memory.ts';
export { commonLines } from './line-pairs.ts';
export { type NoteLine, splitNotes, withoutNotes } from './note-lines.ts';
export { type Places, briefFile, checkHome, placesIn, tidemarkHome } from './places.ts';
export { escapedJson, plainJson, plainLine, plainText } from './plain/index.ts';
export { PERSONAL_PROJECT, type Project } from './project.ts';
export {
  SUMMARY_FIELDS,
  type Session,
  type SessionStatus,
  type SessionSummary,
  type SummaryField,
} from './session.ts';
export { HELD_BY_USER, sharingTime } from './sharing.ts';
export { type Pipeline, type SimpleCommand, pathIn, pipelinesOf, printedFiles } from './shell/index.ts';
export { phraseOf, shortened, wholeWords } from './shorten.ts';
export { bareWords, spokenText, storedText } from './stored-text.ts';
export { definedSymbols, namedSymbols } from './symbols.ts';
export {
  type Agent,
  AGENTS,
  type Definition,
  FIRST_AGENT,
  isAgent,
  type StoredTurn,
  type ToolCall,
  type Turn,
  type TurnOrigin,
  type TurnOutcome,
} from './turn.ts';
export { MAX_FILES, editedFiles, namedFiles, projectFiles, readFiles } from './turn-files.ts';
export { type Commit, commitsIn } from './work.ts';
export { VERSION, isNewer } from './version.ts';
export { userMessage } from './user-message.ts';
export { given } from './given.ts';
export {
  evidenceWords,
  isMeantBy,
  isWordOrYear,
  mayBeShort,
  SHORT_ID_PATTERN,
  shortId,
  shortOrigin,
  sourceWords,
  withOrigin,
} from './words/index.ts';
