/** log/hook.log: one JSON line per event that took the Node way. Never content, never the environment. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Places } from '../core/index.ts';
import { makeFolderSync } from '../files/index.ts';

/** One older file is kept, so the log takes at most twice this. */
export const LOG_LIMIT = 1024 * 1024;

export type Outcome = 'delivered' | 'spooled' | 'lost' | 'ignored' | 'failed' | 'replaced' | 'alive';

/** All values come from closed sets, error codes and validated ids: there is nothing in a row to redact. */
export interface LogRow {
  readonly at: string;
  readonly event: string;
  readonly attempt: string;
  /** Since this process started; the shell before it is not counted. */
  readonly ms: number;
  readonly outcome: Outcome;
  readonly reason: string;
}

export function logRow(places: Places, row: LogRow): void {
  try {
    rotate(places.hookLog);
    append(places.hookLog, `${JSON.stringify(row)}\n`);
  } catch {
    // A home that cannot be written has no log either; the user is told at SessionStart.
  }
}

function append(file: string, line: string): void {
  try {
    appendFileSync(file, line, { mode: 0o600 });
  } catch {
    makeFolderSync(dirname(file));
    appendFileSync(file, line, { mode: 0o600 });
  }
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= LOG_LIMIT) renameSync(file, `${file}.1`);
}
