/**
 * Reads on a replica of the database. A read runs there only once the replica has everything that was committed before
 * the request began, so no one misses what they wrote or sees what was taken from them; otherwise it runs on the primary.
 * A replica that is down or lags is left alone for a while.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../../core/index.ts';
import { Connections, type Query } from '../connections.ts';
import { isPooler, type Address } from '../connect.ts';
import { databaseError, isRefusal } from '../errors.ts';

export interface ReplicaOptions {
  readonly database: Address;
  readonly connections: number;
  readonly checkMs: number;
  readonly transactionMs: number;
}

type Report = (what: 'read database in use' | 'read database skipped', why?: unknown) => void;

/** A read waits this long for the replica to catch up, in steps; then the primary answers. */
const CATCH_UP_MS = 60;
const STEP_MS = 15;
/** A replica that failed, or was too late three times in a row, is not asked for this long. */
const REST_MS = 5000;
const MOST_MISSES = 3;
const POSITION = /^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/;

/** The position in the primary's log behind every commit so far; without waiting for the disk, the end of the log. */
export const POSITION_NOW = `CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END::text`;

export class Replica {
  readonly #connections: Connections;
  readonly #transactionMs: number;
  #report: Report = () => {};
  #misses = 0;
  #restsUntil = 0;
  #isUsed = false;
  #reads = 0;
  #skipped = 0;

  private constructor(connections: Connections, transactionMs: number) {
    this.#connections = connections;
    this.#transactionMs = transactionMs;
  }

  static async open({ database, connections, checkMs, transactionMs }: ReplicaOptions): Promise<Replica> {
    // One that is down now is used as soon as it answers, with statements that work in any case.
    const isPooled = await isPooler(database).catch(() => true);
    return new Replica(new Connections({ database, most: connections, checkMs, isPooled }), transactionMs);
  }

  /** Reads that the replica answered, and reads that had to go to the primary. */
  get counts(): { readonly reads: number; readonly skipped: number } {
    return { reads: this.#reads, skipped: this.#skipped };
  }

  onChange(report: Report): void {
    this.#report = report;
  }

  /** @returns undefined if the primary has to answer */
  async read<T>(
    begin: string,
    position: string,
    work: (query: Query) => Promise<T>,
  ): Promise<{ readonly found: T } | undefined> {
    const began = performance.now();
    if (!POSITION.test(position) || began < this.#restsUntil) return this.#skip();
    try {
      for (;;) {
        const found = await this.#once(begin, position, work);
        if (found) return this.#used(found);
        if (performance.now() - began > CATCH_UP_MS) break;
        await delay(STEP_MS);
      }
    } catch (error) {
      // Refused or not found: the primary would say the same.
      if (isRefusal(error)) throw error;
      return this.#rest(databaseError(error));
    }
    if (++this.#misses < MOST_MISSES) return this.#skip();
    return this.#rest(new TidemarkError('replica-late', 'the read database lags behind the primary'));
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #once<T>(
    begin: string,
    position: string,
    work: (query: Query) => Promise<T>,
  ): Promise<{ readonly found: T } | undefined> {
    const late = new Error('late');
    try {
      const found = await this.#connections.run({
        // A replica that was promoted no longer follows the primary, so it answers nothing.
        begin: `${begin}; SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= '${position}'::pg_lsn AS fresh`,
        accept: (answers) => {
          if (answers.at(-1)?.rows[0]?.['fresh'] !== true) throw late;
        },
        work,
        commit: () => 'COMMIT',
        withinMs: this.#transactionMs,
      });
      return { found };
    } catch (error) {
      if (error === late) return undefined;
      throw error;
    }
  }

  #used<T>(found: T): T {
    this.#misses = 0;
    this.#reads++;
    if (!this.#isUsed) this.#report('read database in use');
    this.#isUsed = true;
    return found;
  }

  #skip(): undefined {
    this.#skipped++;
    return undefined;
  }

  #rest(why: unknown): undefined {
    this.#misses = 0;
    if (this.#isUsed || this.#restsUntil === 0) this.#report('read database skipped', why);
    this.#isUsed = false;
    this.#restsUntil = performance.now() + REST_MS;
    return this.#skip();
  }
}
