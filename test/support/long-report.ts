/**
 * Counts for the report of the long test run. Any test may add rows; `scripts/_long-report.mjs` prints them as a table in
 * docs/test-long-report.md. Outside of a long run nothing is written.
 */
import { appendFileSync } from 'node:fs';

export interface LongCount {
  /** The thing that was counted: `kill rounds`, `planted secrets`. */
  readonly subject: string;
  /** A part of it: the phase that was hit, a class of secrets. */
  readonly part: string;
  readonly count: number;
  /** Of those, how many were as they should be, where that is a rate. */
  readonly good?: number;
}

/** Adds rows to the report of this run. Appends one line each, so that test files may write at the same time. */
export function reportLong(...rows: readonly LongCount[]): void {
  const file = process.env['TIDEMARK_TEST_COUNTS'];
  if (!file) return;
  for (const row of rows) appendFileSync(file, `${JSON.stringify(row)}\n`);
}
