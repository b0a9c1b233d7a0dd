/**
 * Builds a new index next to the old one and replaces the old one when it is complete. Readers use the old index until
 * then, or wait if it has another schema. An interrupted build changes nothing.
 */
import { existsSync, renameSync } from 'node:fs';
import { MemoryIndex } from '../../database/index.ts';
import { REBUILT, removeIndex, type Stores } from '../../memory/index.ts';
import { rebuildIndex, type Progress, type Rebuilt } from './rebuild.ts';

export interface FreshIndex {
  readonly index: MemoryIndex;
  readonly rebuilt: Rebuilt;
}

/** Closes the old index. `doctor` shows `why`; it is empty if the user asked for the rebuild. */
export async function freshIndex(
  path: string,
  stores: Stores,
  why: string,
  progress: Progress = () => {},
): Promise<FreshIndex> {
  const beside = `${path}.new`;
  removeIndex(beside);
  const index = MemoryIndex.open(beside);
  let rebuilt: Rebuilt;
  try {
    rebuilt = await rebuildIndex({ ...stores, index }, progress);
    if (why !== '' && rebuilt.memories + rebuilt.turns > 0)
      index.setMeta(REBUILT, JSON.stringify({ at: new Date().toISOString(), why }));
    if (existsSync(path)) takeVectors(index, path);
    index.checkpoint();
  } finally {
    index.close();
  }
  stores.index.close();
  // Removes the old log too: SQLite would otherwise read it as the log of the new file.
  removeIndex(path);
  renameSync(beside, path);
  return { index: MemoryIndex.open(path), rebuilt };
}

/** Saves the minutes it takes to make vectors. An old index that cannot be read must not prevent the rebuild. */
function takeVectors(index: MemoryIndex, path: string): void {
  try {
    index.takeVectorsFrom(path);
  } catch {
    // The vectors are made again in the background.
  }
}
