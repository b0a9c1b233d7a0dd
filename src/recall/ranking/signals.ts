/** Signals about memories beside their words: state of their files, their branch, whether they were opened. Provided by the caller. */
import { plainLine, type Memory } from '../../core/index.ts';
import { OPENED } from './weights.ts';

/** A file that changed since the memory was made. */
export interface FileChange {
  readonly file: string;
  readonly how: 'changed' | 'gone';
  /** Last change of an existing file. */
  readonly at?: string;
}

export interface FilesNow {
  /** Number of files whose earlier state is known. */
  readonly known: number;
  readonly changes: readonly FileChange[];
}

/** `unmerged`: made on a branch that is not merged into this tree; `unknown`: on another branch, not checked with git. */
export type BranchNow = 'here' | 'unmerged' | 'unknown';

/** Signals for one work tree at one moment. */
export interface Signals {
  files(memory: Memory): FilesNow;
  branch(memory: Memory): BranchNow;
  /** The number of sessions in which each was opened; none for the others. */
  opened(memories: readonly string[]): ReadonlyMap<string, number>;
}

export const NOTHING_KNOWN: FilesNow = { known: 0, changes: [] };

/** Signals from the branch name alone. */
export function byNameOnly(branch: string | undefined): Signals {
  return {
    files: () => NOTHING_KNOWN,
    branch: (memory) => (!branch || !memory.branch || memory.branch === branch ? 'here' : 'unknown'),
    opened: () => new Map(),
  };
}

/** A squashed branch counts as merged if the memory's files are unchanged. */
export function branchNow(signals: Signals, memory: Memory, files: FilesNow): BranchNow {
  const branch = signals.branch(memory);
  return branch === 'unmerged' && files.known > 0 && files.changes.length === 0 ? 'here' : branch;
}

/** `on branch auth, not merged`; undefined for any other memory. A branch that git was not asked about is not labelled. */
export function branchNote(signals: Signals, memory: Memory): string | undefined {
  if (memory.branch === undefined || signals.branch(memory) !== 'unmerged') return undefined;
  const isHere = branchNow(signals, memory, signals.files(memory)) === 'here';
  return isHere ? undefined : plainLine(`on branch ${memory.branch}, not merged`);
}

/** Factor from the number of sessions in which the memory was opened. */
export function openedFactor(sessions: number): number {
  return 1 + Math.min(OPENED.most, OPENED.each * sessions);
}

/** Files named in a note; the rest is counted. */
const NAMED = 2;

/** `src/a.ts changed since, src/b.ts is gone`; empty without changes. */
export function changeNote(changes: readonly FileChange[]): string {
  const named = changes
    .slice(0, NAMED)
    .map(({ file, how }) => plainLine(`${file} ${how === 'gone' ? 'is gone' : 'changed since'}`));
  const rest = changes.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more changed`] : [])].join(', ');
}
