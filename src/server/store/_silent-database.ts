/**
 * Notices a database that no longer answers, as a frozen process does, and checks until it answers again. Meanwhile
 * requests fail at once instead of waiting for their time to end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { withClient, type Address } from './connect.ts';

/** The pause between checks of a database that does not answer. */
const CHECK_AGAIN_MS = 500;

export class SilentDatabase {
  readonly #database: Address;
  /** The most time that one check may take. */
  readonly #checkMs: number;
  #isSilent = false;
  #isChecking = false;
  #isClosed = false;

  constructor(database: Address, checkMs: number) {
    this.#database = database;
    this.#checkMs = checkMs;
  }

  /** Whether the database did not answer the last check. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Finds out in the background whether the database answers a new connection, now and until it does. */
  check(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    void this.#untilItAnswers().finally(() => (this.#isChecking = false));
  }

  close(): void {
    this.#isClosed = true;
  }

  async #untilItAnswers(): Promise<void> {
    const limits = { connectionTimeoutMillis: this.#checkMs, query_timeout: this.#checkMs };
    while (!this.#isClosed) {
      try {
        await withClient(this.#database, limits, (client) => client.query('SELECT 1'));
        this.#isSilent = false;
        return;
      } catch {
        this.#isSilent = true;
        await delay(CHECK_AGAIN_MS, undefined, { ref: false });
      }
    }
  }
}
