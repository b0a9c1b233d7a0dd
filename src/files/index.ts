export { AppendFile } from './append-log.ts';
export { AppendFiles } from './append-logs.ts';
export {
  FILE_MODE,
  type ReportProblem,
  type StoreProblem,
  fileError,
  makeFolder,
  removeFile,
  removeTemporaries,
  replaceFile,
  syncFolder,
  writeAtomically,
} from './durable.ts';
export { type Line, readLines } from './lines.ts';
export { isSame, startTimeOf } from './process-identity.ts';
export { Held } from './reopenable.ts';
export { Turnstile } from './semaphore.ts';
export { Gate } from './shared-lock.ts';
