/**
 * Labels: the memories that a good engineer would keep of a turn. They were written before the rules were read, in our own
 * words. Knows nothing about distillers.
 */
import { createHash } from 'node:crypto';
import type { MemoryKind, StoredTurn } from '../../src/core/index.ts';

/** One memory worth having. */
export interface Wanted {
  /** The kinds that count as right. */
  readonly kinds: readonly MemoryKind[];
  /** Each must occur (any case) in title, body, reason or facts, and at least one of them in the title. */
  readonly must: readonly string[];
  /** Ends of paths the memory must name. */
  readonly files?: readonly string[];
  /** Counts neither for nor against. */
  readonly optional?: true;
  readonly personal?: true;
}

export interface Label {
  readonly key: string;
  /** Empty if nothing is worth keeping. */
  readonly keep: readonly Wanted[];
}

/** A written turn and its label. */
export interface WrittenTurn extends Label {
  readonly turn: StoredTurn;
}

/** Tells whether a turn is held out from tuning: a third is, by a hash of the key. */
export function isHeldOut(key: string): boolean {
  return (createHash('sha256').update(`held-out\n${key}`).digest()[0] ?? 0) % 3 === 0;
}
