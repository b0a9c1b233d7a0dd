/**
 * Bounds for the clock of a version. A clock is the time in milliseconds when an edit was noticed, or one more than the
 * clock it follows. A clock far ahead of the time comes from a wrong or hostile machine; it must not decide anything,
 * because no later edit could replace it. Pure.
 */
import type { Version } from './wire.ts';

/**
 * How far a clock may be ahead of the server's time. A machine with a wrong time zone is ahead by 14 hours at most, and
 * each edit of an entry adds a millisecond.
 */
export const CLOCK_MARGIN_MS = 24 * 60 * 60 * 1000;

/** Returns the highest valid clock at a time in milliseconds. */
export function latestClock(now: number): number {
  return Math.min(now + CLOCK_MARGIN_MS, Number.MAX_SAFE_INTEGER);
}

/** Returns a clock as it was stored at a time: one that was out of bounds then counts as that time. */
export function clockStoredAt(clock: number, at: number): number {
  return clock > latestClock(at) ? at : clock;
}

/** Returns a record whose version may be compared: a clock out of bounds counts as 0, so that any valid one is later. */
export function comparable<T extends { readonly version: Version }>(
  record: T | undefined,
  latest: number,
): T | undefined {
  if (!record || record.version.clock <= latest) return record;
  return { ...record, version: { ...record.version, clock: 0 } };
}

/**
 * Returns the version to take a received change in with. A server that does not bound clocks may send one out of bounds:
 * it counts as the next after the known one, which follows the server's order and loses against every later edit.
 */
export function receivedVersion(version: Version, known: Version | undefined, latest: number): Version {
  if (version.clock <= latest) return version;
  return { clock: (known?.clock ?? 0) + 1, machine: version.machine };
}
