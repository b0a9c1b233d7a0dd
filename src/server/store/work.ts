/**
 * One transaction of one caller: every statement in it sees only what row-level security shows that member of that team.
 * What the operations of the store are written against.
 */
import type { QueryVector } from '../../database/index.ts';
import type { ROLES } from '../../exchange/sync/index.ts';

export type Role = (typeof ROLES)[number];

/** Whom a transaction is for. Ids are uuids, checked before they reach the database. */
export interface Caller {
  readonly team: string;
  readonly member: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Work extends Caller {
  /** Prepared once per connection; `text` is never built from what a caller sent. */
  rows(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The first row, if there is one. */
  row(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** A vector for a question, where there is a model and it is quick enough. */
  readonly vectorOf?: (question: string) => Promise<QueryVector | undefined>;
  /** How many rows were changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Hand it back for what comes next; undefined where nothing does. */
  readonly cursor?: string;
}
