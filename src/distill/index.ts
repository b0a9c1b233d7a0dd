export { admit } from './admission.ts';
export type { ConsentOffer } from './consent.ts';
export type { Distiller } from './distiller.ts';
export { agentSdkDriver } from './drivers/agent-sdk.ts';
export { apiDriver } from './drivers/api.ts';
export { chooseDriver, refusedModel } from './drivers/choose.ts';
export { claudeDriver } from './drivers/claude.ts';
export type { Driver, DriverRequest } from './drivers/driver.ts';
export type { DistillHealth } from './health.ts';
export { type DistillReport, Improver } from './improver.ts';
export { SHARE } from './attribution.ts';
export { replyOperations } from './reply-operations.ts';
export {
  NOTE_KINDS,
  NOTE_MOMENTS,
  NOT_NOTED,
  noteInstruction,
  type NotesForm,
  toolInstruction,
} from './notes/instruction.ts';
export { hasNotes, isNoted, notedIn, storeNotes } from './notes/store-notes.ts';
export { parseNotes } from './notes/parse-notes.ts';
export { relatedMemories } from './related.ts';
export { parseOperations, parseSummary } from './reply/parse-reply.ts';
export { turnRequest } from './request.ts';
export { localDistiller } from './rules/local.ts';
export { dayOf } from './spending.ts';
export { noteSummary } from './summary-reply.ts';
export { sessionTitle, summarizeTurns } from './summary.ts';
export { UNFINISHED, distillable, isUnfinished } from './unfinished.ts';
export { doneIn } from './rules/reported.ts';
export { type Sentence, sentencesOf } from './rules/sentences.ts';
export { OPENING, ORDER } from './rules/talk.ts';
export { titleOf, wordsOf } from './rules/title.ts';
export { keepScores } from './small/keep-scores.ts';
export { PASSAGE, passagesOf, asRead, type Unit, type UnitPassage, unitsOf } from './small/units.ts';
export {
  keepCounts,
  Keeper,
  type KeepCounts,
  type KeepHealth,
  type KeepModel,
  type KeepReport,
  type KeepState,
} from './small/keeper.ts';
export { type Kept, keepTurn } from './small/keep-turn.ts';
export { smallDistiller } from './small/distiller.ts';
export { THRESHOLDS as SMALL_THRESHOLDS } from './small/thresholds.ts';
