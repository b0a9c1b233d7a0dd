export { admit } from './admission.ts';
export type { Distiller } from './distiller.ts';
export { SHARE } from './attribution.ts';
export { admittedOperations } from './admitted-operations.ts';
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
export { localDistiller } from './rules/local.ts';
export { sessionTitle, summarizeTurns } from './summary.ts';
export { UNFINISHED, distillable, isUnfinished } from './unfinished.ts';
export { keepScores } from './small/keep-scores.ts';
export { PASSAGE, passagesOf, asRead, type Unit, type UnitPassage, unitsOf } from './small/units.ts';
export {
  keepCounts,
  Keeper,
  type KeepCounts,
  type KeepHealth,
  type KeepModel,
  type KeepState,
} from './small/keeper.ts';
export { type Kept, keepTurn } from './small/keep-turn.ts';
export { smallDistiller } from './small/distiller.ts';
export { THRESHOLDS as SMALL_THRESHOLDS } from './small/thresholds.ts';
