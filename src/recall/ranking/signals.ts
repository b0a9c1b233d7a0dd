/** What is known about memories beside their words: their files, their branch, their use. Asked for, never looked up here. */
import type { Memory } from '../../core/index.ts';
import { plainLine } from '../../privacy/index.ts';
import { USE } from './weights.ts';

/** A file that is not as it was when the memory was made. */
export interface FileChange {
  readonly file: string;
  readonly how: 'changed' | 'gone';
  /** When it was last written to, of one that is there. */
  readonly at?: string;
}

export interface FilesNow {
  /** Of how many files it is known how they were. */
  readonly known: number;
  readonly changes: readonly FileChange[];
}

/** `unmerged`: made on a branch whose work is not in this tree; `unknown`: on another branch, and git was not asked yet. */
export type BranchNow = 'here' | 'unmerged' | 'unknown';

export interface Used {
  /** In how many sessions it was shown with a prompt or at an edit, and in how many it was opened or echoed. */
  readonly shown: number;
  readonly used: number;
}

/** As seen from one work tree, at one moment. */
export interface Signals {
  files(memory: Memory): FilesNow;
  branch(memory: Memory): BranchNow;
  /** Only those ever shown or used. */
  uses(memories: readonly string[]): ReadonlyMap<string, Used>;
}

export const NOTHING_KNOWN: FilesNow = { known: 0, changes: [] };

/** Where nothing but names is known: another branch may be merged or not. */
export function byNameOnly(branch: string | undefined): Signals {
  return {
    files: () => NOTHING_KNOWN,
    branch: (memory) => (!branch || !memory.branch || memory.branch === branch ? 'here' : 'unknown'),
    uses: () => new Map(),
  };
}

/** A squashed branch leaves no commit behind; but where its files are as it left them, its work is here. */
export function branchNow(signals: Signals, memory: Memory, files: FilesNow): BranchNow {
  const branch = signals.branch(memory);
  return branch === 'unmerged' && files.known > 0 && files.changes.length === 0 ? 'here' : branch;
}

/** How use moves a score: around 1, by little. What was never shown has nothing to tell. */
export function useFactor({ shown, used }: Used): number {
  const seen = Math.max(shown, used);
  const rate = (used + USE.prior * USE.expected) / (seen + USE.prior);
  const factor = 1 + USE.slope * (rate - USE.expected);
  return Math.min(USE.most, Math.max(USE.least, factor));
}

/** So many are named; more would cost more than they tell. */
const NAMED = 2;

/** `src/a.ts changed since, src/b.ts is gone`; empty when nothing did. */
export function changeNote(changes: readonly FileChange[]): string {
  const named = changes
    .slice(0, NAMED)
    .map(({ file, how }) => plainLine(`${file} ${how === 'gone' ? 'is gone' : 'changed since'}`));
  const rest = changes.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more changed`] : [])].join(', ');
}
