/**
 * Decides which new entries of the user may leave this machine. A new entry waits for a while, so that the user can hold
 * it back; an entry that names or judges a person stays here until the user shares it. Changes of entries that the team
 * already has are not held up. Pure.
 */
import { HELD_BY_USER, type Memory } from '../../core/index.ts';
import { personIn, type KnownPerson } from '../../privacy/index.ts';
import type { Agreed, SharingChoice } from './shared-store.ts';

export interface SharingRules {
  /** How long a new entry waits. */
  readonly delayMs: number;
  /** Authors of the repository and members of the team. */
  readonly people: readonly KnownPerson[];
  /** The user has just seen a preview of all entries and confirmed it, so none of them waits. */
  readonly confirmed?: boolean;
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
  { delayMs, people, confirmed = false }: SharingRules,
): Passage {
  if (memory.author === undefined && choice?.state === 'held') return { kind: 'stay', why: HELD_BY_USER };
  if (known || memory.author !== undefined || choice?.state === 'released') return { kind: 'go' };
  const why = personInEntry(memory, people);
  if (why !== undefined) return { kind: 'stay', why };
  if (confirmed || isOnItsWay || delayMs <= 0) return { kind: 'go' };
  const since = choice?.at ?? now.toISOString();
  const until = new Date(Date.parse(since) + delayMs);
  if (until <= now) return { kind: 'go' };
  return { kind: 'wait', until: until.toISOString(), isNew: choice === undefined };
}

/** Why an entry names or judges a person; undefined if it does not. */
export function personInEntry(
  { title, body, reason, facts, concepts }: Memory,
  people: readonly KnownPerson[],
): string | undefined {
  return personIn([title, body, reason ?? '', ...facts, ...concepts].join('\n'), people);
}
