/**
 * What a good engineer would keep of a turn. Written before the rules were read; a label holds our own words only.
 * Nothing here knows how a distiller works.
 */
import { createHash } from 'node:crypto';
import type { MemoryKind, StoredTurn } from '../../src/core/index.ts';

/** One memory worth having. */
export interface Wanted {
  /** Any of these is right. */
  readonly kinds: readonly MemoryKind[];
  /** Each must be found (any case) in title, body, reason or facts, and at least one of them in the title. */
  readonly must: readonly string[];
  /** Ends of paths the memory must name. */
  readonly files?: readonly string[];
  /** Good to have, not missed when it is not there: counts neither for nor against. */
  readonly optional?: true;
  readonly personal?: true;
}

export interface Label {
  readonly key: string;
  /** Empty: nothing is worth keeping (or only what is optional). */
  readonly keep: readonly Wanted[];
}

/** A turn of our own and its label. */
export interface WrittenTurn extends Label {
  readonly turn: StoredTurn;
}

/** A third is held out from tuning, by the turn's key alone. */
export function isHeldOut(key: string): boolean {
  return (createHash('sha256').update(`held-out\n${key}`).digest()[0] ?? 0) % 3 === 0;
}
