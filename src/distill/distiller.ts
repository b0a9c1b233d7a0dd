/** The port of distilling: turns → memories, sessions → a summary. One file per driver. */
import type { Memory, MemoryDraft, SessionSummary, StoredTurn } from '../core/index.ts';

export interface DistillInput {
  readonly turn: StoredTurn;
  /** What is already known of the project, newest first. A driver may use it to say less, never to say more. */
  readonly recent: readonly Memory[];
  /** The project's root on this machine; without it files are named relative to the turn's `cwd`. */
  readonly root?: string;
  /** Tools whose use says nothing; `LOW_VALUE_TOOLS` when absent. */
  readonly lowValueTools?: readonly string[];
}

export interface Distilled {
  readonly memories: readonly MemoryDraft[];
}

export interface Distiller {
  readonly name: string;
  distill(input: DistillInput, signal: AbortSignal): Promise<Distilled>;
  summarize(turns: readonly StoredTurn[], signal: AbortSignal): Promise<SessionSummary>;
}
