/**
 * Takes in what others did to the journal's files: a person, git, another machine that shares them. Copies of syncing
 * tools first, then what was forgotten elsewhere, then the entries; what came from another machine is folded with ours.
 */
import type { Places } from '../core/index.ts';
import { reconcileAgain } from './add-memories.ts';
import { hearForgotten } from './forget.ts';
import { syncJournal, type JournalChange } from './journal-sync.ts';
import type { Stores } from './stores.ts';

export interface Intake extends Omit<JournalChange, 'arrived'> {
  /** Copies that syncing tools had made, now in the files they are of. */
  readonly copies: readonly string[];
  /** What was forgotten or brought back elsewhere. */
  readonly heard: number;
}

export async function takeInJournal(stores: Stores, places: Places): Promise<Intake> {
  const copies = await stores.journal.takeCopies();
  const heard = await hearForgotten(stores, places, new Date());
  const { arrived, ...change } = await syncJournal(stores);
  // What another machine says may replace or resolve what stands in a file of ours.
  for (const [project, entries] of Map.groupBy(arrived, (entry) => entry.project)) {
    await reconcileAgain(
      stores,
      project,
      entries.map(({ id }) => id),
    );
  }
  // The entry may have left the index by a merge, before its forgetting was heard of: its words lie in the log still.
  if (heard > 0) stores.index.checkpoint();
  return { ...change, copies, heard };
}
