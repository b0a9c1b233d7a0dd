/** Signals about memories beside their words: state of their files, their branch, their use. Provided by the caller. */
import { plainLine, type Memory } from '../../core/index.ts';
import { USE } from './weights.ts';

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

export interface Used {
  /** Sessions in which it was injected with a prompt or an edit, and sessions in which it was opened or echoed. */
  readonly shown: number;
  readonly used: number;
}

/** Signals for one work tree at one moment. */
export interface Signals {
  files(memory: Memory): FilesNow;
  branch(memory: Memory): BranchNow;
  /** Only memories that were ever injected or used. */
  uses(memories: readonly string[]): ReadonlyMap<string, Used>;
}

export const NOTHING_KNOWN: FilesNow = { known: 0, changes: [] };

/** Signals from the branch name alone. */
export function byNameOnly(branch: string | undefined): Signals {
  return {
    files: () => NOTHING_KNOWN,
    branch: (memory) => (!branch || !memory.branch || memory.branch === branch ? 'here' : 'unknown'),
    uses: () => new Map(),
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

/** Factor near 1 from past use; 1 for a memory that was never injected. */
export function useFactor({ shown, used }: Used): number {
  const seen = Math.max(shown, used);
  const rate = (used + USE.prior * USE.expected) / (seen + USE.prior);
  const factor = 1 + USE.slope * (rate - USE.expected);
  return Math.min(USE.most, Math.max(USE.least, factor));
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
