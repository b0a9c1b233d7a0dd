/**
 * Decides which new entries of the user may leave this machine. A new entry waits for a while, so that the user can hold
 * it back. Changes of entries that the team already has are not held up. Pure.
 */
import { HELD_BY_USER, type Memory } from '../../core/index.ts';
import type { Agreed, SharingChoice } from './shared-store.ts';

export interface SharingRules {
  /** How long a new entry waits. */
  readonly delayMs: number;
  /** The user has just seen a preview of all entries and confirmed it, so none of them waits. */
  readonly confirmed?: boolean;
  /** The rules became stricter during this exchange: entries that were about to leave wait too. */
  readonly again?: boolean;
  /** Kinds that the team never gets. */
  readonly neverKinds?: readonly string[];
  /** The team excludes the project's folder: nothing is sent, and changes of the team still arrive. */
  readonly ignored?: boolean;
}

/** A new entry that waits. Until then the user can hold it back. */
export interface Delayed {
  readonly id: string;
  readonly until: string;
}

/** A new entry that stays on this machine, and why. */
export interface HeldBack {
  readonly id: string;
  readonly why: string;
}

export type Passage =
  | { readonly kind: 'go' }
  /** `isNew`: its wait begins now and has to be recorded. */
  | { readonly kind: 'wait'; readonly until: string; readonly isNew: boolean }
  | { readonly kind: 'stay'; readonly why: string };

interface Question {
  readonly memory: Memory;
  readonly known: Agreed | undefined;
  readonly choice: SharingChoice | undefined;
  /** Whether it got a version to leave with: its wait is over. */
  readonly isOnItsWay: boolean;
  readonly now: Date;
}

export function passageOf(
  { memory, known, choice, isOnItsWay, now }: Question,
  rules: SharingRules,
): Passage {
  const { delayMs, confirmed = false, again = false } = rules;
  const isHeld = choice?.state === 'held';
  if (memory.author !== undefined || (known && !isHeld)) return { kind: 'go' };
  const why = whyItStays(memory, choice, rules);
  if (why !== undefined) return { kind: 'stay', why };
  if (choice?.state === 'released') return { kind: 'go' };
  const hasWaited = isOnItsWay && !again && choice?.state !== 'waiting';
  if (confirmed || hasWaited || delayMs <= 0) return { kind: 'go' };
  const since = choice?.at ?? now.toISOString();
  const until = new Date(Date.parse(since) + delayMs);
  if (until <= now) return { kind: 'go' };
  return { kind: 'wait', until: until.toISOString(), isNew: choice === undefined };
}

/** Why a new entry of the user stays on this machine; undefined if it may leave. The team's rules bind the user too. */
export function whyItStays(
  memory: Memory,
  choice: SharingChoice | undefined,
  { neverKinds = [] }: Pick<SharingRules, 'neverKinds'>,
): string | undefined {
  if (choice?.state === 'held') return HELD_BY_USER;
  if (neverKinds.includes(memory.kind)) return `your team shares no entries of the kind ${memory.kind}`;
  return undefined;
}
