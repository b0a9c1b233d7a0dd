export { AppendLog, AppendLogs } from './append-log.ts';
export {
  FILE_TOO_LARGE,
  firstLineOf,
  isExecutable,
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
export { FILE_MODE, removeFile, replaceFile, writeAtomically, writeAtomicallySync } from './atomic-write.ts';
export { ask, findSocket, printable, SENT, type Answer, type Sent } from './daemon-socket.ts';
export { ensureHome, homeProblem, requireUsableHome } from './data-home.ts';
export { fileError, type ReportProblem, type StoreProblem } from './file-error.ts';
export {
  MOST_ENTRIES,
  listFolderSync,
  makeFolder,
  makeFolderSync,
  namesIn,
  removeTemporaries,
  syncFolder,
  syncFolderSync,
} from './folders.ts';
export { JOURNAL_BYTES, STATE_BYTES, TRANSCRIPT_BYTES } from './limits.ts';
export { type Line, linesIn, readLines } from './lines.ts';
export { KeyedMutex, Mutex, SharedLock } from './mutex.ts';
export { isSame, startTimeOf } from './process-identity.ts';
export { Reopenable } from './reopenable.ts';
export { Semaphore } from './semaphore.ts';
export { withPrivateUmask } from './private-umask.ts';
