/**
 * The port of the small model: our own encoder that answers three questions about text. `local.ts` starts it in the
 * embedder's process; tests and benchmarks may implement it themselves.
 */
import type { MemoryKind } from '../../core/index.ts';

/** Values of a vector, and of the model's state for a word piece. */
export const WIDTH = 384;

/** The questions about a pair of texts. */
export type PairTask = 'relate' | 'read';

/** The two segments of one input. */
export interface Pair {
  readonly a: string;
  readonly b: string;
}

/** Sentences that are read together (`user: …`, `assistant: …`), and what is around them. */
export interface Passage {
  readonly about: string;
  readonly sentences: readonly string[];
}

/** A question with the texts it is about. */
export type SmallQuestion =
  | { readonly task: 'keep'; readonly passages: readonly Passage[] }
  | { readonly task: PairTask; readonly pairs: readonly Pair[] };

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
  /** For example `small-5`. */
  readonly version: string;
  /** Returns a score for every sentence of each passage. */
  keep(passages: readonly Passage[], signal: AbortSignal): Promise<readonly (readonly KeepScore[])[]>;
  /** A statement (`a`: `user: …`) and a memory (`b`: `memoryText`). */
  relate(inputs: readonly Pair[], signal: AbortSignal): Promise<readonly RelateScore[]>;
  /** A prompt (`a`) and a memory (`b`): the log odds that the memory helps. */
  read(inputs: readonly Pair[], signal: AbortSignal): Promise<readonly number[]>;
}
