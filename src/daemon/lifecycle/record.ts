/** Records that other programs read: the program's folder and its Node for the hooks, which may run without a PATH. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION, type Places } from '../../core/index.ts';
import {
  isSame,
  makeFolderSync,
  readTextSync,
  STATE_BYTES,
  writeAtomicallySync,
  isExecutable,
} from '../../files/index.ts';

export function recordProgram(places: Places, dist: string): void {
  makeFolderSync(places.home);
  write(places.node, process.execPath);
  write(places.program, dist);
}

/** Replaces records of a Node or a program that no longer exists by those that run now. */
export function repairRecord(places: Places, dist: string): void {
  const node = firstLine(places.node);
  const program = firstLine(places.program);
  if (node === undefined || !isExecutable(node)) write(places.node, process.execPath);
  if (program === undefined || !existsSync(join(program, 'daemon.cjs'))) write(places.program, dist);
}

/** Marks this version as known to the user, so that no session announces it. */
export function acknowledgeVersion(places: Places): void {
  write(places.knownVersion, VERSION);
}

/**
 * Reads daemon.json and checks that its daemon still runs, not another process with the same pid. Returns undefined when
 * none is recorded, as after every orderly stop.
 */
export function recordedDaemon(
  places: Pick<Places, 'daemon'>,
): { readonly pid: number; readonly running: boolean } | undefined {
  try {
    const { pid, startTime } = JSON.parse(readTextSync(places.daemon, STATE_BYTES)) as Record<
      string,
      unknown
    >;
    if (typeof pid !== 'number') return undefined;
    return { pid, running: isSame(pid, typeof startTime === 'string' ? startTime : undefined) };
  } catch {
    return undefined;
  }
}

function write(path: string, text: string): void {
  const line = `${text}\n`;
  if (existsSync(path) && readTextSync(path, STATE_BYTES) === line) return;
  writeAtomicallySync(path, line);
}

function firstLine(path: string): string | undefined {
  return existsSync(path) ? readTextSync(path, STATE_BYTES).split('\n', 1)[0] : undefined;
}
