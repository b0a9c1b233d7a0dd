/** One transaction of one caller. Row-level security limits every statement to the rows that member may see. */
import type { ROLES } from '../../exchange/sync/index.ts';

export type Role = (typeof ROLES)[number];

/** The member a transaction runs as. The ids are checked to be uuids. */
export interface Caller {
  readonly team: string;
  readonly member: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Work extends Caller {
  /** Prepared once per connection. `text` never contains user input. */
  rows(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Returns the first row, if there is one. */
  row(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /**
   * Notes a changed project, or without one a change of access in the team. Other servers hear of it at the commit, and
   * never of a transaction that is rolled back.
   */
  changed(project?: string): void;
  /** Asks for the vector index of the team's partition, which is built in the background. */
  readonly indexVectors?: () => void;
  /** Returns the number of changed rows. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Pass it back for the next page; absent on the last page. */
  readonly cursor?: string;
}
