/** What the exchange needs of a machine's memory, and nothing more: the daemon's writer gives it, tests play it. */
import type { Memory } from '../../core/index.ts';
import type { MachinePaths } from './outbound-filter.ts';
import type { SkippedChange } from './received.ts';
import type { Version } from './wire.ts';

export interface SharedProject {
  /** Here. */
  readonly project: string;
  /** There. */
  readonly remote: string;
}

/** What both sides agreed on last about an entry; `hash` is of the content as it left, or as it was taken in. */
export interface Agreed {
  readonly memory: string;
  readonly state: 'put' | 'withdrawn' | 'forgotten';
  readonly version: Version;
  readonly hash: string;
  /** The machine whose file of the journal it belongs to. */
  readonly home?: string;
  readonly author?: string;
}

export type Action = 'put' | 'tombstone' | 'withdraw';

/** What is on its way under a version that is used for nothing else. */
export interface OnItsWay {
  readonly memory: string;
  readonly action: Action;
  readonly version: Version;
  readonly hash: string;
}

/** A text that gave way to another. */
export interface GaveWay {
  readonly memory: string;
  readonly lost: 'ours' | 'theirs';
  readonly text: Memory;
  /** Where the other text was written. */
  readonly machine: string;
}

export type Note =
  | ({ readonly kind: 'agreed' } & Agreed)
  | ({ readonly kind: 'on its way' } & OnItsWay)
  | ({ readonly kind: 'gave way' } & GaveWay);

/**
 * What became of an entry that a project has not, or no longer: forgotten here (it can be brought back for a day while
 * `hidden`), merged into another, standing in another project, or just not there.
 */
export type Fate = 'hidden' | 'erased' | 'merged' | 'moved' | 'missing';

export interface Tombstone {
  readonly id: string;
  readonly turn: string;
  readonly hash: string;
}

export interface Standing {
  readonly memory: Memory;
  /** It stands in a file that another machine writes; this one's otherwise. */
  readonly home: string | undefined;
}

export interface SharedStore {
  /** Entries of the journal; never what waits for a yes or was forgotten. */
  entries(project: string): readonly Memory[];
  entry(project: string, id: string): Standing | undefined;
  fate(project: string, id: string): Fate;
  /** What is left of one that is forgotten here. */
  tombstone(id: string): Tombstone | undefined;
  paths(project: string): MachinePaths;
  agreed(remote: string): ReadonlyMap<string, Agreed>;
  agreedOn(remote: string, id: string): Agreed | undefined;
  onTheirWay(remote: string): ReadonlyMap<string, OnItsWay>;
  isOnItsWay(remote: string, id: string): OnItsWay | undefined;
  cursor(remote: string): number;
  setCursor(remote: string, cursor: number): void;
  /** Changes that could not be read. They are asked for again; lost together with the cursor. */
  skipped(remote: string): readonly SkippedChange[];
  setSkipped(remote: string, skipped: readonly SkippedChange[]): void;
  /** Durable before it resolves. */
  note(remote: string, notes: readonly Note[]): Promise<void>;
  /**
   * Writes an entry as it came, and gives back what the journal holds now. Throws when what stands there is no longer
   * what was `seen`: somebody is writing, and is to be asked again.
   */
  take(memory: Memory, home: string, seen: Memory | undefined): Promise<Memory>;
  /** Out of the journal, free to come again. */
  drop(project: string, ids: readonly string[]): Promise<void>;
  /** Forgotten by somebody: out of everything here too. */
  bury(project: string, tombstone: Tombstone): Promise<void>;
}
