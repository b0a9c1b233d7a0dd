/**
 * Finds the current revision of each turn in a file, rewrites a file without its other contents, and chooses what to remove
 * when the store is too large: superseded revisions first, then the oldest turns, month by month.
 */
import { stat } from 'node:fs/promises';
import { removeFile, replaceFile } from '../../files/index.ts';
import { TurnFile, type Damage, type Member } from './turn-file.ts';

/** Trims to less than the limit, because otherwise every further turn would rewrite a file. */
const TRIM_TO = 0.9;

export interface TrimmedFiles {
  readonly dropped: readonly Member[];
  readonly bytes: number;
  /** Paths of the files that were rewritten or removed. */
  readonly changed: readonly string[];
}

/** Returns the last undamaged revision of every turn, in the order of the file. */
export async function lastRevisions(file: TurnFile, onDamage?: (damage: Damage) => void): Promise<Member[]> {
  const revisions = new Map<string, Member[]>();
  for await (const member of file.members(onDamage)) {
    const earlier = revisions.get(member.turn);
    if (earlier) earlier.push(member);
    else revisions.set(member.turn, [member]);
  }
  const last: Member[] = [];
  for (const all of revisions.values()) last.push(await lastIntact(file, all));
  return last.toSorted((a, b) => a.offset - b.offset);
}

/** Removes the matching turns and returns them. If there are any, superseded revisions and damaged ranges are removed too. */
export async function dropTurns(path: string, matches: (member: Member) => boolean): Promise<Member[]> {
  const found = await TurnFile.using(path, (file) => lastRevisions(file));
  const dropped = found?.filter(matches) ?? [];
  if (found && dropped.length > 0)
    await keepOnly(
      path,
      found.filter((member) => !matches(member)),
    );
  return dropped;
}

/** Removes superseded revisions and damaged ranges. Returns false when there are none. */
async function compact(path: string): Promise<boolean> {
  const isCompact = await TurnFile.using(path, async (file) => {
    const lengths = new Map<string, number>();
    for await (const { turn, length } of file.members()) lengths.set(turn, length);
    return file.size === [...lengths.values()].reduce((sum, length) => sum + length, 0);
  });
  const found = isCompact === false && (await TurnFile.using(path, (file) => lastRevisions(file)));
  if (found) await keepOnly(path, found);
  return Boolean(found);
}

/** Reduces the files to `maxBytes`. `months`: the files of each month, oldest month first. */
export async function trimFiles(
  months: readonly (readonly string[])[],
  maxBytes: number,
): Promise<TrimmedFiles> {
  const before = await totalBytes(months.flat());
  if (before <= maxBytes) return { dropped: [], bytes: 0, changed: [] };
  const changed = new Set<string>();
  for (const path of months.flat()) {
    if (await compact(path)) changed.add(path);
  }
  const dropped: Member[] = [];
  let total = await totalBytes(months.flat());
  for (const paths of total > maxBytes ? months : []) {
    const excess = total - maxBytes * TRIM_TO;
    if (excess <= 0) break;
    const last = await lastToRemove(paths, excess);
    for (const path of paths) {
      const gone = await dropTurns(path, ({ time }) => time <= last);
      if (gone.length > 0) changed.add(path);
      dropped.push(...gone);
    }
    total = await totalBytes(months.flat());
  }
  return { dropped, bytes: before - total, changed: [...changed] };
}

async function keepOnly(path: string, members: readonly Member[]): Promise<void> {
  if (members.length === 0) return removeFile(path);
  await TurnFile.using(path, (file) => replaceFile(path, copies(file, members)));
}

async function* copies(file: TurnFile, members: readonly Member[]): AsyncGenerator<Buffer> {
  for (const member of members) yield file.bytes(member);
}

async function lastIntact(file: TurnFile, revisions: readonly Member[]): Promise<Member> {
  const newest = revisions.at(-1) as Member; // a turn is in the map because it has one
  if (revisions.length === 1) return newest;
  for (const revision of revisions.toReversed()) if (await file.turn(revision)) return revision;
  return newest;
}

/** Returns the time up to which a month's turns must be removed; Infinity for the whole month. */
async function lastToRemove(paths: readonly string[], excess: number): Promise<number> {
  const members: Member[] = [];
  for (const path of paths)
    members.push(...((await TurnFile.using(path, (file) => lastRevisions(file))) ?? []));
  members.sort((a, b) => a.time - b.time);
  let freed = 0;
  for (const { time, length } of members) {
    freed += length;
    if (freed >= excess) return time;
  }
  return Infinity;
}

export async function totalBytes(paths: readonly string[]): Promise<number> {
  let total = 0;
  for (const path of paths) total += (await stat(path).catch(() => undefined))?.size ?? 0;
  return total;
}
