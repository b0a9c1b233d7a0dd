/** What a check of `doctor` says: a verdict, the evidence, the next step, and how to put it right where that can be done. */
import type { DaemonStatus, Health, EmbedHealth } from '../../daemon/index.ts';
import type { DistillHealth } from '../../distill/index.ts';

/** `note` is worth knowing and needs nobody; `wrong` keeps something from working. */
export type Verdict = 'well' | 'note' | 'wrong';

export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
  readonly evidence: string;
  readonly next?: string;
  /** Puts it right, and says what it did. */
  readonly fix?: () => Promise<string>;
  /** What the check itself has put right: a second look no longer finds it. */
  readonly done?: string;
}

export interface Section {
  readonly title: string;
  readonly checks: readonly Check[];
}

/** What a running daemon tells of itself. */
export interface Live {
  readonly status: DaemonStatus;
  readonly health: Health;
  readonly meaning: EmbedHealth;
  readonly distilling: DistillHealth;
}

export function well(name: string, evidence: string): Check {
  return { name, verdict: 'well', evidence };
}

export function note(name: string, evidence: string, next?: string, fix?: Check['fix']): Check {
  return { name, verdict: 'note', evidence, ...(next ? { next } : {}), ...(fix ? { fix } : {}) };
}

export function wrong(name: string, evidence: string, next: string, fix?: Check['fix']): Check {
  return { name, verdict: 'wrong', evidence, next, ...(fix ? { fix } : {}) };
}
