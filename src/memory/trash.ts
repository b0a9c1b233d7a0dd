/** Lists the forgotten memories that can still be restored. Only reads. */
import type { Memory, Places } from '../core/index.ts';
import type { MemoryIndex } from '../database/index.ts';
import { UNDO_MS } from './forget.ts';
import { forgottenIds, readForgotten } from './forgotten.ts';

export interface TrashedMemory {
  readonly memory: Memory;
  readonly forgottenAt: string;
  /** The text is erased soon after this time. */
  readonly erasedAt: string;
}

export interface Trash {
  /** The newest first, at most the limit. */
  readonly memories: readonly TrashedMemory[];
  readonly total: number;
}

/** The tombstone says that a memory is forgotten; its file alone may be from an interrupted call. */
export async function listTrash(
  index: Pick<MemoryIndex, 'tombstones'>,
  places: Places,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<Trash> {
  const stored = new Set(await forgottenIds(places));
  const hidden = index
    .tombstones('hidden')
    .filter(({ memory, at }) => stored.has(memory) && now.getTime() - Date.parse(at) < UNDO_MS)
    .toReversed();
  const memories: TrashedMemory[] = [];
  for (const { memory: id, at } of hidden.slice(0, limit)) {
    const found = await readForgotten(places, id);
    const erasedAt = new Date(Date.parse(at) + UNDO_MS).toISOString();
    if (found) memories.push({ memory: found.memory, forgottenAt: at, erasedAt });
  }
  return { memories, total: hidden.length };
}
