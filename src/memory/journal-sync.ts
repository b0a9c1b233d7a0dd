/**
 * Updates the index after the journal's files changed: the user edited, moved or deleted entries, git switched a branch,
 * another machine's file arrived. Compares content hashes, so an unchanged file costs nothing.
 */
import type { Memory, Places } from '../core/index.ts';
import type { UserChange } from '../database/index.ts';
import { reconcileAgain } from './add-memories.ts';
import { takeInTombstones } from './forget.ts';
import { changeBetween, recordChanges } from './record-change.ts';
import type { Stores } from './stores.ts';

export interface JournalChange {
  readonly files: number;
  readonly upserted: number;
  readonly removed: number;
  /** Files with entries that the user wrote and that have no id yet. */
  readonly byHand: readonly string[];
}

export interface Intake extends JournalChange {
  /** Copies made by syncing tools that were merged into their files. */
  readonly copies: readonly string[];
  /** The number of memories that were forgotten or restored on another machine. */
  readonly forgottenElsewhere: number;
}

/** An entry that is new here, in a file of another machine. */
interface Arrived {
  readonly id: string;
  readonly project: string;
}

/** Takes in all changes of the files: copies of syncing tools, then tombstones of other machines, then entries. */
export async function takeInJournal(stores: Stores, places: Places): Promise<Intake> {
  const copies = await stores.journal.mergeCopies();
  const forgottenElsewhere = await takeInTombstones(stores, places, new Date());
  const { arrived, ...change } = await syncJournal(stores);
  // An entry of another machine may supersede or resolve one of this machine.
  for (const [project, entries] of Map.groupBy(arrived, (entry) => entry.project)) {
    const ids = entries.map(({ id }) => id);
    await reconcileAgain(stores, project, ids);
  }
  // A forgotten entry may have left the index by a merge before; the log of the index still contains its text.
  if (forgottenElsewhere > 0) stores.index.checkpoint();
  return { ...change, copies, forgottenElsewhere };
}

/** Brings the entries of the index up to date with the files. */
export async function syncJournal(
  stores: Stores,
): Promise<JournalChange & { readonly arrived: readonly Arrived[] }> {
  const { index, journal } = stores;
  const files = await journal.scan();
  const found = new Set<string>();
  /** As they were before, by id. */
  const missing = new Map<string, Memory>();
  const edits: UserChange[] = [];
  const byHand: string[] = [];
  const changed: string[] = [];
  const forgotten: string[] = [];
  const foreign: Arrived[] = [];
  const startFile = (path: string): void => {
    changed.push(path);
    for (const memory of index.memoriesBy({ journal: path, limit: Number.MAX_SAFE_INTEGER }))
      missing.set(memory.id, memory);
  };
  for (const file of files) {
    if (index.journalFile(file.path)?.hash === file.hash) continue;
    startFile(file.path);
    const { entries } = journal.read(file.path);
    const kept = entries.filter(({ memory }) => !index.isForgotten(memory.id));
    forgotten.push(...entries.filter((entry) => !kept.includes(entry)).map(({ memory }) => memory.id));
    if (journal.isOwn(file.path))
      edits.push(...kept.flatMap(({ memory }) => editOf(missing.get(memory.id), memory)));
    index.upsertMemories(kept.map(({ memory, line }) => ({ memory, journal: file.path, line })));
    for (const { memory } of kept) found.add(memory.id);
    if (!journal.isOwn(file.path)) foreign.push(...kept.map(({ memory }) => memory));
    if (entries.some(({ derived }) => derived)) byHand.push(file.path);
    index.setJournalFile(file);
  }
  const present = new Set(files.map((file) => file.path));
  for (const { path } of index.journalFiles()) {
    if (present.has(path)) continue;
    startFile(path);
    index.removeJournalFile(path);
  }
  // An entry that was found in another file only moved.
  const removed = index.removeMemories([...missing.keys()].filter((id) => !found.has(id)));
  await recordChanges(stores, byUser(stores, edits));
  // A merge, a branch or an old copy restored forgotten entries: they are erased from the files again.
  if (forgotten.length > 0) await journal.remove(forgotten);
  const arrived = foreign.filter(({ id }) => !missing.has(id)).map(({ id, project }) => ({ id, project }));
  return { files: changed.length, upserted: found.size, removed, byHand, arrived };
}

/** A file also differs after git switched a branch; the checksum of an entry says whether the user changed it. */
function byUser({ journal }: Stores, edits: readonly UserChange[]): readonly UserChange[] {
  const changes = journal.userChanges(edits.map(({ memory }) => memory));
  return edits.filter(({ memory }) => changes.get(memory)?.edited || changes.get(memory)?.held);
}

function editOf(before: Memory | undefined, after: Memory): readonly UserChange[] {
  const change = before && changeBetween(before, after, new Date());
  return change ? [change] : [];
}
