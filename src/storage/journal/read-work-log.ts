/** Reads the work logs of a project without its entries. Only reads; a file that cannot be read is left out. */
import { join } from 'node:path';
import { JOURNAL_BYTES, readBytesSync } from '../../files/index.ts';
import { listFiles } from './folders.ts';
import { decodeText } from './format/text-lines.ts';
import { logIn } from './format/work-log.ts';

export interface WorkLog {
  /** Returns the line of a turn as the user changed it; undefined if it was not changed. */
  edited(turn: string): string | undefined;
  /** Whether the log of that day has no line of the turn: the user deleted it. */
  isDeleted(turn: string, at: string): boolean;
}

/** `root`: the journal's folder. `since`: the first day, ISO 8601. */
export function readWorkLog(root: string, project: string, since: string): WorkLog {
  const folder = join(root, project);
  const first = since.slice(0, 'YYYY-MM-DD'.length);
  const days = new Set<string>();
  const lines = new Map<string, string | undefined>();
  for (const { path, date, archive } of listFiles(folder, { project })) {
    if (archive || date < first) continue;
    const found = logIn(textOf(join(folder, path)));
    if (found.length > 0) days.add(date);
    for (const { turn, text, edited } of found) lines.set(turn, edited ? text : undefined);
  }
  return {
    edited: (turn) => lines.get(turn),
    isDeleted: (turn, at) => !lines.has(turn) && days.has(at.slice(0, 'YYYY-MM-DD'.length)),
  };
}

function textOf(path: string): string {
  try {
    return decodeText(readBytesSync(path, JOURNAL_BYTES));
  } catch {
    return ''; // `doctor` reports the file
  }
}
