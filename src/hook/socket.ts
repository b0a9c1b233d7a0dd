/** Where the daemon listens, and whether it is to be left alone for now. */
import { lstatSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Places } from '../core/index.ts';
import { makeFolderSync, readTextSync, STATE_BYTES } from '../files/index.ts';

/** A daemon that timed out once would cost every following hook its whole limit. */
export const LEAVE_ALONE_MS = 30_000;

/** The socket named by the pointer file, if it is there and ours: another user's socket counts as absent. */
export function findSocket(
  places: Pick<Places, 'socketPointer'>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const path = firstLine(places.socketPointer);
  if (!path) return undefined;
  if (platform === 'win32') return path; // a named pipe has no owner to look at
  try {
    const stat = lstatSync(path);
    return stat.isSocket() && stat.uid === process.getuid?.() ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The first line of a small file, or undefined. */
export function firstLine(file: string): string | undefined {
  try {
    return readTextSync(file, STATE_BYTES).split('\n', 1)[0] || undefined;
  } catch {
    return undefined;
  }
}

/** True while a time-out is young. A stale marker is removed, because the shell only sees that it exists. */
export function isLeftAlone(places: Places, now: number): boolean {
  const text = readOr(places.leaveAlone);
  if (text === undefined) return false;
  const until = untilOf(text);
  if (until > now && until <= now + LEAVE_ALONE_MS) return true;
  liftLeaveAlone(places);
  return false;
}

/** False if somebody else has just done it: then the hung daemon is already being looked after. */
export function leaveAlone(places: Places, pid: number | null, now: number): boolean {
  try {
    makeFolderSync(places.run);
    const text = JSON.stringify({ until: now + LEAVE_ALONE_MS, pid });
    writeFileSync(places.leaveAlone, `${text}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

export function liftLeaveAlone(places: Places): void {
  try {
    unlinkSync(places.leaveAlone);
  } catch {
    // Gone already, or a home that cannot be written.
  }
}

function readOr(file: string): string | undefined {
  try {
    return readTextSync(file, STATE_BYTES);
  } catch {
    return undefined;
  }
}

function untilOf(text: string): number {
  try {
    const until: unknown = JSON.parse(text)?.until;
    return typeof until === 'number' ? until : 0;
  } catch {
    return 0;
  }
}
