/** Reads the rows of the hook log that hooks wrote for events which reached neither the daemon nor the spool. */
import { readTextSync } from '../files/index.ts';

/** The log is renamed at a megabyte, before the next row. */
const LOG_BYTES = 16 * 1024 * 1024;
const FAILED = /"outcome":"(?:lost|failed)"/;

export interface FailedHook {
  readonly at: string;
  readonly outcome: 'lost' | 'failed';
  readonly reason: string;
}

/** Oldest first. A log that cannot be read has none: no hook has failed yet. */
export function failedHooksIn(hookLog: string): readonly FailedHook[] {
  return textOf(hookLog)
    .split('\n')
    .filter((row) => FAILED.test(row))
    .flatMap(parseRow);
}

/** The last row may be cut off. */
function parseRow(row: string): readonly FailedHook[] {
  try {
    return [JSON.parse(row) as FailedHook]; // written by the hook
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readTextSync(path, LOG_BYTES);
  } catch {
    return '';
  }
}
