/** The port through which the exchange reads and writes a machine's memory. The daemon implements it; tests simulate it. */
import type { Memory } from '../../core/index.ts';
import type { MachinePaths } from './outbound-filter.ts';
import type { SkippedChange } from './received.ts';
import type { Version } from './wire.ts';

export interface SharedProject {
  /** Id on this machine. */
  readonly project: string;
  /** Id on the server. */
  readonly remote: string;
}

/** The state of an entry both sides last agreed on. `hash` is of the content as it was sent or taken in. */
export interface Agreed {
  readonly memory: string;
  readonly state: 'put' | 'withdrawn' | 'forgotten';
  readonly version: Version;
  readonly hash: string;
  /** The machine whose journal file it belongs to. */
  readonly home?: string;
  readonly author?: string;
}

export type Action = 'put' | 'tombstone' | 'withdraw';

/** A change being sent, under a version that is used for nothing else. */
export interface OnItsWay {
  readonly memory: string;
  readonly action: Action;
  readonly version: Version;
  readonly hash: string;
}

/** `waiting`: since when it waits. `held` and `released` are decisions of the user. */
export interface SharingChoice {
  readonly state: 'waiting' | 'held' | 'released';
  readonly at: string;
}

/** A text that lost against a later one of the same entry. */
export interface ReplacedText {
  readonly memory: string;
  readonly lost: 'ours' | 'theirs';
  readonly text: Memory;
  /** The machine the other text was written on. */
  readonly machine: string;
}

export type Note =
  | ({ readonly kind: 'agreed' } & Agreed)
  | ({ readonly kind: 'on its way' } & OnItsWay)
  | ({ readonly kind: 'replaced text' } & ReplacedText)
  | { readonly kind: 'waits'; readonly memory: string; readonly at: string };

/**
 * Why a project does not have an entry: forgotten here (`hidden` can be restored for a day), merged into another entry,
 * moved to another project, or just not there.
 */
export type Fate = 'hidden' | 'erased' | 'merged' | 'moved' | 'missing';

export interface Tombstone {
  readonly id: string;
  readonly turn: string;
  readonly hash: string;
}

export interface StoredEntry {
  readonly memory: Memory;
  /** The machine that writes its journal file; undefined for this one. */
  readonly home: string | undefined;
}

export interface SharedStore {
  /** Entries of the journal, without those in review and forgotten ones. */
  entries(project: string): readonly Memory[];
  entry(project: string, id: string): StoredEntry | undefined;
  fate(project: string, id: string): Fate;
  /** The tombstone of an entry that was forgotten here. */
  tombstone(id: string): Tombstone | undefined;
  paths(project: string): MachinePaths;
  agreed(remote: string): ReadonlyMap<string, Agreed>;
  agreedOn(remote: string, id: string): Agreed | undefined;
  onTheirWay(remote: string): ReadonlyMap<string, OnItsWay>;
  isOnItsWay(remote: string, id: string): OnItsWay | undefined;
  /** Returns for each entry since when it waits, or what the user decided. */
  sharing(): ReadonlyMap<string, SharingChoice>;
  cursor(remote: string): number;
  setCursor(remote: string, cursor: number): void;
  /** Changes that could not be read and will be asked for again. Lost together with the cursor. */
  skipped(remote: string): readonly SkippedChange[];
  setSkipped(remote: string, skipped: readonly SkippedChange[]): void;
  /** Durable before it resolves. */
  note(remote: string, notes: readonly Note[]): Promise<void>;
  /**
   * Writes a received entry and returns it as stored in the journal. Throws `team.again` if the journal no longer has
   * what was `seen`, because someone is editing it.
   */
  take(memory: Memory, home: string, seen: Memory | undefined): Promise<Memory>;
  /** Removes entries from the journal; they may come again. */
  drop(project: string, ids: readonly string[]): Promise<void>;
  /** Forgets an entry that a member of the team has forgotten. */
  bury(project: string, tombstone: Tombstone): Promise<void>;
}
