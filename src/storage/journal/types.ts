/** What the journal gives and takes. Paths are relative to the journal's root, with forward slashes, everywhere. */
import type { Memory, MemoryKind, MemoryState, SessionStatus, SessionSummary } from '../../core/index.ts';

/** What stands over the entries of a session. A field that is left out never erases what the file has. */
export interface SessionHead {
  readonly id: string;
  readonly agent: string;
  readonly startedAt: string;
  readonly title: string;
  readonly status?: SessionStatus;
  readonly summary?: SessionSummary;
  /** Needed only to write the summary of a session that has no entry yet. */
  readonly project?: string;
}

export interface JournalProblem {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

export interface ParsedEntry {
  readonly memory: Memory;
  /** Line of its heading, counted from 1. */
  readonly line: number;
  /** The file holds no id for it yet: this one is derived from the text and gets written with the next change. */
  readonly derived: boolean;
}

export interface ParsedDay {
  readonly entries: readonly ParsedEntry[];
  readonly sessions: readonly SessionHead[];
  readonly problems: readonly JournalProblem[];
}

/** Where a text comes from. `date` is the day its entries belong to until a heading `# YYYY-MM-DD` says otherwise. */
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
  /** The journal is shared: what is new this machine writes only to `YYYY-MM-DD.<machine>.md`. */
  readonly machine?: string | undefined;
  /** The root is the folder of this one project, as in a repository. */
  readonly project?: string;
}

export interface PutOptions {
  /** Asked for each memory that stands in no file: was it deleted by a person (`skip`), or is it new (`make`)? */
  readonly absent?: (id: string) => 'make' | 'skip';
}

export interface PutResult {
  /** Ids written for the first time. */
  readonly made: readonly string[];
  readonly updated: readonly string[];
  /** Entries whose text a person changed since: their text was left as it is. */
  readonly edited: readonly string[];
  /** `absent` said so, or the entry stands in a file that another machine writes. */
  readonly skipped: readonly string[];
  /** Where what was asked for stands now. Lines of other entries in the same file may have moved. */
  readonly places: readonly EntryLocation[];
  /** The files written, as a scan would list them, except those that also hold edits nobody was told of yet. */
  readonly files: readonly FileMark[];
}

/** What folding days into months did, or would do. */
export interface ArchiveReport {
  readonly days: number;
  readonly entries: number;
  /** Archives written. */
  readonly months: readonly string[];
  /** Days that stay, and why. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
}

/** What a person did to an entry: changed its text (or wrote it), set its state. */
export interface Hand {
  readonly edited: boolean;
  readonly held: boolean;
  /** It stands in the file of another machine, which is the one to change it. */
  readonly elsewhere?: boolean;
}

/** What was forgotten, as it travels with a shared journal: nothing that could be read. The newest word on a memory counts. */
export interface SharedTombstone {
  readonly memory: string;
  readonly at: string;
  readonly turn: string;
  readonly hash: string;
  readonly state: 'hidden' | 'erased' | 'lifted';
}

/** What may be changed by hand through a verb. An empty reason takes the reason away. */
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
  /** Left out: unchanged. Empty: taken away. */
  readonly supersedes?: readonly string[];
  readonly supersededBy?: string;
}
