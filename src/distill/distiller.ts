/** The port of distilling: turns → memories. */
import type { Memory, MemoryDraft, StoredTurn } from '../core/index.ts';

export interface DistillInput {
  readonly turn: StoredTurn;
  /** Known memories of the project, newest first. A distiller may use them to say less, never to say more. */
  readonly recent: readonly Memory[];
  /** The project's root on this machine; without it files are named relative to the turn's `cwd`. */
  readonly root?: string;
}

export interface Distilled {
  readonly memories: readonly MemoryDraft[];
}

export interface Distiller {
  readonly name: string;
  distill(input: DistillInput, signal: AbortSignal): Promise<Distilled>;
}
