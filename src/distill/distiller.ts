/** The port of distilling: turn → operations on memories. */
import type { Memory, Operation, StoredTurn } from '../core/index.ts';

export interface DistillInput {
  readonly turn: StoredTurn;
  /** The turn before it in the session. A short prompt may answer it. */
  readonly previous?: StoredTurn;
  /** Live memories from before the turn that are related to it. */
  readonly related: readonly Memory[];
  /** The project's root on this machine; without it files are named relative to the turn's `cwd`. */
  readonly root?: string;
}

export interface Distilled {
  /** A memory that no operation mentions stays unchanged. */
  readonly operations: readonly Operation[];
}

export interface Distiller {
  readonly name: string;
  distill(input: DistillInput, signal: AbortSignal): Promise<Distilled>;
}
