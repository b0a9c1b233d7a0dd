/** Which turns go when the store is too large: superseded revisions first, then the oldest, month by month. */
import { stat } from 'node:fs/promises';
import { TurnFile, type Member } from './turn-file.ts';
import { compact, dropTurns, lastRevisions, takeInventory } from './turn-revisions.ts';

/** Down to a little less than allowed: at the limit itself every further turn would rewrite a file. */
const TRIM_TO = 0.9;

export interface TrimmedFiles {
  readonly dropped: readonly Member[];
  readonly bytes: number;
  /** Paths of the files that were rewritten or removed. */
  readonly changed: readonly string[];
}

/** `months`: the files of each month, oldest month first. */
export async function trimFiles(
  months: readonly (readonly string[])[],
  maxBytes: number,
): Promise<TrimmedFiles> {
  const before = await totalOf(months);
  if (before <= maxBytes) return { dropped: [], bytes: 0, changed: [] };
  const changed = new Set<string>();
  for (const path of months.flat()) {
    const { bytes, liveBytes } = await takeInventory(path);
    if (liveBytes === bytes) continue;
    await compact(path);
    changed.add(path);
  }
  const dropped: Member[] = [];
  let total = await totalOf(months);
  for (const paths of total > maxBytes ? months : []) {
    const excess = total - maxBytes * TRIM_TO;
    if (excess <= 0) break;
    const last = await lastToGo(paths, excess);
    for (const path of paths) {
      const gone = await dropTurns(path, ({ time }) => time <= last);
      if (gone.length > 0) changed.add(path);
      dropped.push(...gone);
    }
    total = await totalOf(months);
  }
  return { dropped, bytes: before - total, changed: [...changed] };
}

/** The time up to which a month's turns must go to make enough room, or of its last if all must. */
async function lastToGo(paths: readonly string[], excess: number): Promise<number> {
  const members: Member[] = [];
  for (const path of paths)
    members.push(...((await TurnFile.using(path, (file) => lastRevisions(file))) ?? []));
  members.sort((a, b) => a.time - b.time);
  let room = 0;
  for (const { time, length } of members) {
    room += length;
    if (room >= excess) return time;
  }
  return Infinity;
}

async function totalOf(months: readonly (readonly string[])[]): Promise<number> {
  let total = 0;
  for (const path of months.flat()) total += (await stat(path).catch(() => undefined))?.size ?? 0;
  return total;
}
