/** The result of a `doctor` check: a verdict, the evidence, the next step, and a fix if there is one. */
import { given } from '../../core/index.ts';
import type { DaemonStatus, Health, EmbedHealth } from '../../daemon/index.ts';
import type { KeepHealth } from '../../distill/index.ts';

/** `note`: good to know, no action needed. `wrong`: something does not work. */
export type Verdict = 'well' | 'note' | 'wrong';

export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
  readonly evidence: string;
  readonly next?: string;
  /** Fixes the problem and returns what it did. */
  readonly fix?: () => Promise<string>;
  /** A fix that the check itself made; the next run no longer finds the problem. */
  readonly done?: string;
}

export interface Section {
  readonly title: string;
  readonly checks: readonly Check[];
}

/** The state that a running daemon reports. */
export interface Live {
  readonly status: DaemonStatus;
  readonly health: Health;
  readonly meaning: EmbedHealth;
  readonly keeping: KeepHealth;
}

/** Returns the constructors for the results of the check `name`. */
export function checkOf(name: string) {
  return {
    well: (evidence: string): Check => ({ name, verdict: 'well', evidence }),
    note: (evidence: string, next?: string, fix?: Check['fix']): Check => ({
      name,
      verdict: 'note',
      evidence,
      ...given({ next: next || undefined, fix }),
    }),
    wrong: (evidence: string, next: string, fix?: Check['fix']): Check => ({
      name,
      verdict: 'wrong',
      evidence,
      next,
      ...given({ fix }),
    }),
  };
}
