/** Errors of file operations with a next step for the user, and reports of damaged stores. */
import { TidemarkError } from '../core/index.ts';

/** A part of a store that cannot be read. `doctor` shows it; it is never thrown. */
export interface StoreProblem {
  readonly file: string;
  readonly line?: number;
  readonly offset?: number;
  readonly reason: string;
}

export type ReportProblem = (problem: StoreProblem) => void;

/** Turns the error of a file operation into one with a next step. */
export function fileError(error: unknown, path: string): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new TidemarkError('disk-full', `no space left to write ${path}`, {
        cause: error,
        hint: 'Free some space. Events that were accepted are safe.',
      });
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new TidemarkError('not-permitted', `not permitted to write ${path}`, {
        cause: error,
        hint: 'Make the data folder yours and writable, or set TIDEMARK_HOME to another one.',
      });
    default:
      return new TidemarkError('file-failed', `cannot write ${path}${code && `: ${code}`}`, { cause: error });
  }
}
