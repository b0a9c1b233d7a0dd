export { TidemarkError, type ErrorDetails } from './error.ts';
export { ID_PATTERN, contentHash, memoryId, shortHash, timeOfId } from './ids.ts';
export {
  MEMORY_KINDS,
  RULES_MAKER,
  SOURCE_MAKER,
  isStanding,
  type Memory,
  type MemoryDraft,
  type MemoryKind,
  type MemoryState,
  type Provenance,
} from './memory.ts';
export type { Agent, StoredTurn, ToolCall, Turn, TurnOrigin, TurnOutcome } from './turn.ts';
export {
  SUMMARY_FIELDS,
  type Session,
  type SessionStatus,
  type SessionSummary,
  type SummaryField,
} from './session.ts';
export { PERSONAL_PROJECT, type Project } from './project.ts';
export {
  EDIT_BUDGET_MS,
  EDIT_TOOLS,
  HOOK_BUDGET_MS,
  HOOK_NAMES,
  isHookName,
  type HookInput,
  type HookName,
  type SpooledEvent,
} from './event.ts';
export { revisionOf } from './revision.ts';
export { briefFile, checkHome, placesIn, tidemarkHome, type Places } from './places.ts';
export { VERSION, isNewer } from './version.ts';
