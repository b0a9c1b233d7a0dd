/** Writes log/hook.log: one JSON line per event handled by Node. Never content, never the environment. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Places, plainJson } from '../core/index.ts';
import { makeFolderSync } from '../files/index.ts';

/** One older file is kept, so the logs take at most twice this. */
const LOG_LIMIT = 1024 * 1024;

export type Outcome = 'delivered' | 'spooled' | 'lost' | 'ignored' | 'failed' | 'replaced' | 'alive';

/** All values are from closed sets, error codes and validated ids, so nothing needs redaction. */
export interface LogRow {
  readonly at: string;
  readonly event: string;
  readonly attempt: string;
  /** Since this process started, without the shell before it. */
  readonly ms: number;
  readonly outcome: Outcome;
  readonly reason: string;
}

export function logRow(places: Places, row: LogRow): void {
  try {
    rotate(places.hookLog);
    makeFolderSync(dirname(places.hookLog));
    appendFileSync(places.hookLog, `${plainJson(row)}\n`, { mode: 0o600 });
  } catch {
    // Without a writable home there is no log; the user sees a message at SessionStart.
  }
}

function rotate(file: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === false) throw new Error('opening a pipe would block the agent');
  if ((stat?.size ?? 0) >= LOG_LIMIT) renameSync(file, `${file}.1`);
}
