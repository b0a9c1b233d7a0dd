/**
 * Brings the index up to what the journal's files say now: a person edited, moved or deleted entries, git switched a
 * branch, another machine's file arrived. Compares by content, so an untouched file costs nothing.
 */
import type { Stores } from './stores.ts';

export interface JournalChange {
  readonly files: number;
  readonly upserted: number;
  readonly removed: number;
  /** Files with entries a person wrote that have no id of their own yet. */
  readonly byHand: readonly string[];
  /** Entries that are new here, in files other machines write. */
  readonly arrived: readonly { readonly id: string; readonly project: string }[];
}

export async function syncJournal(stores: Stores): Promise<JournalChange> {
  const { index, journal } = stores;
  const files = await journal.scan();
  const found = new Set<string>();
  const lost = new Set<string>();
  const byHand: string[] = [];
  const touched: string[] = [];
  const buried: string[] = [];
  const foreign: { id: string; project: string }[] = [];
  let changed = 0;
  const losing = (path: string): void => {
    for (const memory of index.memoriesBy({ journal: path, limit: Number.MAX_SAFE_INTEGER }))
      lost.add(memory.id);
  };
  for (const file of files) {
    if (index.journalFile(file.path)?.hash === file.hash) continue;
    changed++;
    touched.push(file.path);
    losing(file.path);
    const { entries } = await journal.read(file.path);
    const kept = entries.filter(({ memory }) => !index.isForgotten(memory.id));
    if (kept.length < entries.length)
      buried.push(...entries.map(({ memory }) => memory.id).filter((id) => index.isForgotten(id)));
    index.upsertMemories(kept.map(({ memory, line }) => ({ memory, journal: file.path, line })));
    for (const { memory } of kept) found.add(memory.id);
    if (!journal.isOwn(file.path)) foreign.push(...kept.map(({ memory }) => memory));
    if (entries.some(({ derived }) => derived)) byHand.push(file.path);
    index.setJournalFile(file);
  }
  const present = new Set(files.map((file) => file.path));
  for (const { path } of index.journalFiles()) {
    if (present.has(path)) continue;
    changed++;
    touched.push(path);
    losing(path);
    index.removeJournalFile(path);
  }
  // An entry that only moved stands in another file now.
  const removed = index.removeMemories([...lost].filter((id) => !found.has(id)));
  for (const project of new Set(touched.map((path) => path.split('/')[0] ?? ''))) stores.pages.touch(project);
  // A merge, a branch or an old copy brought back what was forgotten: forgotten means erased.
  if (buried.length > 0) await journal.remove(buried);
  const arrived = foreign.filter(({ id }) => !lost.has(id)).map(({ id, project }) => ({ id, project }));
  return { files: changed, upserted: found.size, removed, byHand, arrived };
}
