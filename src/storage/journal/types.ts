/** Types of the journal. All paths are relative to the journal's root, with forward slashes. */
import type { Memory, MemoryKind, MemoryState, SessionStatus, SessionSummary } from '../../core/index.ts';

/** The heading and summary of a session. A field that is left out never erases the one in the file. */
export interface SessionHead {
  readonly id: string;
  readonly agent: string;
  readonly startedAt: string;
  readonly title: string;
  readonly status?: SessionStatus;
  readonly summary?: SessionSummary;
  /** Only needed to write the summary of a session without entries. */
  readonly project?: string;
}

export interface JournalProblem {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

export interface ParsedEntry {
  readonly memory: Memory;
  /** Line of the heading, counted from 1. */
  readonly line: number;
  /** The file contains no id yet: it is derived from the text and written with the next change. */
  readonly derived: boolean;
}

export interface ParsedDay {
  readonly entries: readonly ParsedEntry[];
  readonly sessions: readonly SessionHead[];
  readonly problems: readonly JournalProblem[];
}

/** The origin of a text. `date` is the day of its entries up to the first heading `# YYYY-MM-DD`. */
export interface DayContext {
  readonly project: string;
  readonly date: string;
  readonly file: string;
}

export interface JournalFile {
  readonly path: string;
  readonly project: string;
  /** `YYYY-MM-DD`; for an archive the first day of its month. */
  readonly date: string;
  readonly archive: boolean;
  /** The machine that writes this file, in a shared journal. */
  readonly machine?: string;
}

export interface FileMark {
  readonly path: string;
  readonly mtime: number;
  readonly size: number;
  readonly hash: string;
}

export interface EntryLocation {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

export interface JournalOptions {
  /** Set for a shared journal: this machine writes new entries only to `YYYY-MM-DD.<machine>.md`. */
  readonly machine?: string | undefined;
  /** The root is the folder of this one project, as in a repository. */
  readonly project?: string;
}

export interface PutResult {
  /** Ids written for the first time. */
  readonly made: readonly string[];
  readonly updated: readonly string[];
  /** Entries that the user edited: their text was not changed. */
  readonly edited: readonly string[];
  /** Entries in a file of another machine, or deleted by the user meanwhile. */
  readonly skipped: readonly string[];
  /** Current locations of the memories. Lines of other entries in the same files may have moved. */
  readonly places: readonly EntryLocation[];
  /** The files written, without those that also contain edits not reported yet. */
  readonly files: readonly FileMark[];
}

/** The result of archiving days, or of a dry run. */
export interface ArchiveReport {
  readonly days: number;
  readonly entries: number;
  /** Archives written. */
  readonly months: readonly string[];
  /** Days that were not archived. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
}

/** The user's changes to an entry. */
export interface UserChanges {
  /** The user wrote or changed its text. */
  readonly edited: boolean;
  /** The user set its state. */
  readonly held: boolean;
  /** The entry is in the file of another machine, which has to change it. */
  readonly elsewhere?: boolean;
}

/** A forgotten memory in a shared journal, without its text. The latest tombstone of a memory counts. */
export interface SharedTombstone {
  readonly memory: string;
  readonly at: string;
  readonly turn: string;
  readonly hash: string;
  readonly state: 'hidden' | 'erased' | 'lifted';
}

/** Fields that the user can change through a verb. An empty reason removes the reason. */
export interface MemoryPatch {
  readonly kind?: MemoryKind;
  readonly title?: string;
  readonly body?: string;
  readonly reason?: string;
  readonly facts?: readonly string[];
  readonly concepts?: readonly string[];
  readonly files?: readonly string[];
}

export interface StateChange {
  readonly state: MemoryState;
  /** Left out: unchanged. Empty: removed. */
  readonly supersedes?: readonly string[];
  readonly supersededBy?: string;
}
