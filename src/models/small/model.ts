/**
 * The port of the small model: our own encoder that answers three questions about text. `local.ts` starts it in the
 * embedder's process; tests and benchmarks may implement it themselves.
 */
import type { MemoryKind } from '../../core/index.ts';

/** The questions the model answers. */
export type Task = 'keep' | 'relate' | 'read';

/** The two segments of one input. */
export interface Pair {
  readonly a: string;
  readonly b: string;
}

/** The order of the model's outputs. */
export const KEEP_KINDS = [
  'decision',
  'preference',
  'discovery',
  'dead_end',
  'issue',
  'bugfix',
  'feature',
  'refactor',
  'pattern',
] as const satisfies readonly MemoryKind[];
export const RELATIONS = ['nothing', 'same', 'supersedes', 'resolves'] as const;

export type Relation = (typeof RELATIONS)[number];

/** How likely a sentence is worth a memory, and if it is, how likely it is of each kind. */
export interface KeepScore {
  readonly keep: number;
  readonly kinds: Readonly<Record<MemoryKind, number>>;
}

/** How likely a statement does each of these to a memory. They add up to 1. */
export type RelateScore = Readonly<Record<Relation, number>>;

export interface SmallModel {
  /** For example `small-4`. */
  readonly version: string;
  /** Sentences of a turn (`a`) with their surroundings (`b`). */
  keep(inputs: readonly Pair[], signal: AbortSignal): Promise<readonly KeepScore[]>;
  /** A statement (`a`: `user: …`) and a memory (`b`: `memoryText`). */
  relate(inputs: readonly Pair[], signal: AbortSignal): Promise<readonly RelateScore[]>;
  /** A prompt (`a`) and a memory (`b`): the log odds that the memory helps. */
  read(inputs: readonly Pair[], signal: AbortSignal): Promise<readonly number[]>;
}
