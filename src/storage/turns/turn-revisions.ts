/** Of the revisions of each turn in a file, the one that counts; and the file rewritten with those alone. */
import { removeFile, replaceFile } from '../../files/index.ts';
import { TurnFile, type Damage, type Member } from './turn-file.ts';

export interface Inventory {
  readonly bytes: number;
  /** What the last revisions alone take. */
  readonly liveBytes: number;
  readonly turns: number;
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** The last revision of every turn, in the order of the file. Where the last is damaged, the one before counts. */
export async function lastRevisions(file: TurnFile, onDamage?: (damage: Damage) => void): Promise<Member[]> {
  const revisions = new Map<string, Member[]>();
  for await (const member of file.members(onDamage)) {
    const earlier = revisions.get(member.turn);
    if (earlier) earlier.push(member);
    else revisions.set(member.turn, [member]);
  }
  const last: Member[] = [];
  for (const all of revisions.values()) last.push(await lastWhole(file, all));
  return last.toSorted((a, b) => a.offset - b.offset);
}

/** By the headers alone. */
export async function takeInventory(path: string): Promise<Inventory> {
  const last = new Map<string, Member>();
  const bytes = await TurnFile.using(path, async (file) => {
    for await (const member of file.members()) last.set(member.turn, member);
    return file.size;
  });
  const inventory = { bytes: bytes ?? 0, liveBytes: 0, turns: last.size, from: Infinity, to: 0 };
  for (const { length, time } of last.values()) {
    inventory.liveBytes += length;
    inventory.from = Math.min(inventory.from, time);
    inventory.to = Math.max(inventory.to, time);
  }
  return inventory;
}

/** The turns that go, when `goes` is true of one. Superseded revisions and damaged stretches go with them. */
export async function dropTurns(path: string, goes: (member: Member) => boolean): Promise<Member[]> {
  const found = await TurnFile.using(path, (file) => lastRevisions(file));
  const dropped = found?.filter(goes) ?? [];
  if (found && dropped.length > 0)
    await keepOnly(
      path,
      found.filter((member) => !goes(member)),
    );
  return dropped;
}

/** Superseded revisions and damaged stretches go, no turn does. */
export async function compact(path: string): Promise<void> {
  const found = await TurnFile.using(path, (file) => lastRevisions(file));
  if (found) await keepOnly(path, found);
}

async function keepOnly(path: string, members: readonly Member[]): Promise<void> {
  if (members.length === 0) return removeFile(path);
  await TurnFile.using(path, (file) => replaceFile(path, copies(file, members)));
}

async function* copies(file: TurnFile, members: readonly Member[]): AsyncGenerator<Buffer> {
  for (const member of members) yield file.bytes(member);
}

async function lastWhole(file: TurnFile, revisions: readonly Member[]): Promise<Member> {
  const newest = revisions.at(-1) as Member; // a turn is in the map because it has one
  if (revisions.length === 1) return newest;
  for (const revision of revisions.toReversed()) if (await file.turn(revision)) return revision;
  return newest;
}
