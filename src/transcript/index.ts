export { claudeCode, readTurns } from './claude-code.ts';
export { MAX_LINE_BYTES, readLines, type Line } from './_lines.ts';
export {
  emptyNotes,
  type ReadOptions,
  type Subagent,
  type TranscriptNotes,
  type TranscriptProblem,
  type TranscriptReader,
  type TurnRead,
} from './port.ts';
export { storedLengths, storedText, type StoredText } from './stored-text.ts';
export { subagentsOf } from './subagents.ts';
export { findClient } from './find-client.ts';
