export { AppendLog } from './append-log.ts';
export { AppendLogs } from './append-logs.ts';
export {
  FILE_TOO_LARGE,
  isRefused,
  isRegularFile,
  openRegular,
  openRegularSync,
  readBytes,
  readBytesSync,
  readOpenSync,
  readText,
  readTextSync,
} from './bounded-read.ts';
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
export { JOURNAL_BYTES, STATE_BYTES, TRANSCRIPT_BYTES } from './limits.ts';
export { type Line, readLines } from './lines.ts';
export { MOST_ENTRIES, listFolderSync, namesIn } from './list-folder.ts';
export { isSame, startTimeOf } from './process-identity.ts';
export { Reopenable } from './reopenable.ts';
export { Semaphore } from './semaphore.ts';
export { SharedLock } from './shared-lock.ts';
