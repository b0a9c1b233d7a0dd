/** Marks a hung daemon so that hooks skip its socket for a while. */
import { unlinkSync, writeFileSync } from 'node:fs';
import type { Places } from '../core/index.ts';
import { makeFolderSync, readTextSync, STATE_BYTES } from '../files/index.ts';

/** Without this pause, a hung daemon would cost every hook its full limit. */
export const LEAVE_ALONE_MS = 30_000;

/** Returns true shortly after a timeout. Removes a stale marker, because the shell only checks that it exists. */
export function isLeftAlone(places: Places, now: number): boolean {
  const text = readOr(places.leaveAlone);
  if (text === undefined) return false;
  const until = untilOf(text);
  if (until > now && until <= now + LEAVE_ALONE_MS) return true;
  liftLeaveAlone(places);
  return false;
}

/** Marks the daemon. Returns false if another hook has just done it and is already replacing the daemon. */
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
    // Already removed, or the home is not writable.
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
