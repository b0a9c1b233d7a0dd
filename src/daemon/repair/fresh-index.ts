/**
 * A new index beside the old one, put in its place when it is whole: whoever asks meanwhile is answered from the old
 * one, and a build that is cut short leaves nothing that could be believed.
 */
import { existsSync, renameSync } from 'node:fs';
import { MemoryIndex } from '../../database/index.ts';
import { REBUILT, removeIndex, type Stores } from '../../memory/index.ts';
import { rebuildIndex, type Progress, type Rebuilt } from './rebuild.ts';

export interface FreshIndex {
  readonly index: MemoryIndex;
  readonly rebuilt: Rebuilt;
}

/** Closes the old index. `why` is told by `doctor`; empty when a person asked for it. */
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
  // The old log must be gone before the new file stands there, or SQLite would take it for the new one's.
  removeIndex(path);
  renameSync(beside, path);
  return { index: MemoryIndex.open(path), rebuilt };
}

/** They cost minutes to make; but an old index that cannot be read must not keep a new one from being built. */
function takeVectors(index: MemoryIndex, path: string): void {
  try {
    index.takeVectorsFrom(path);
  } catch {
    // They are made again in the background.
  }
}
