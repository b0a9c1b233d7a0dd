/**
 * Limits that several servers share through the database, without a round trip per request: a key that used a good part
 * of its limit is reported once a second, and the answer is what all servers counted. Until then a server grants what it
 * knows, so together they may grant up to a quarter of the burst, and what comes in that second, too much each.
 */
import { shortHash } from '../../core/index.ts';
import { Limiter, type Rate } from '../access/index.ts';
import { forgetLimits, useLimits, type TeamStore } from '../store/index.ts';

export interface SharedLimitsOptions {
  readonly store: TeamStore;
  /** The word for this limit in the table. */
  readonly name: string;
  readonly rate: Rate;
  readonly now: () => number;
  /** The database could not be asked: this server counts alone meanwhile. */
  readonly failed: (error: unknown) => void;
}

const REPORT_MS = 1000;
/** Below this part of the limit a key is not reported: almost none ever gets there, so almost nothing is written. */
const REPORTED_FROM = 0.25;
const FORGET_EVERY_MS = 60 * 60_000;
const NAME_CHARS = 24;

export class SharedLimits {
  readonly #options: SharedLimitsOptions;
  readonly #limiter: Limiter;
  readonly #due = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #forgotAt = Date.now();
  #isClosed = false;

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
    this.#limiter = new Limiter(options.rate, options.now);
  }

  /** Returns 0 if the request may pass, otherwise the seconds to wait. */
  take(who: string): number {
    const wait = this.#limiter.take(who);
    if (wait === 0 && this.#limiter.fullness(who) > REPORTED_FROM) this.#reportLater(who);
    return wait;
  }

  /** Counts at all servers before it answers, for what is rare and matters. */
  async takeEverywhere(who: string): Promise<number> {
    const wait = this.#limiter.take(who);
    if (wait > 0) return wait;
    await this.#report([who]);
    const { burst, perSecond } = this.#limiter.rate;
    const over = this.#limiter.fullness(who) * burst - burst;
    return over > 0 ? Math.ceil(over / perSecond) : 0;
  }

  /** Returns whether `take` would pass, as far as this server knows. */
  isOpen(who: string): boolean {
    return this.#limiter.isOpen(who);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #reportLater(who: string): void {
    if (this.#isClosed) return;
    this.#due.add(who);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const due = [...this.#due];
      this.#due.clear();
      void this.#report(due);
    }, REPORT_MS).unref();
  }

  async #report(all: readonly string[]): Promise<void> {
    const { store, failed } = this.#options;
    const used = new Map(all.map((who) => [this.#named(who), this.#limiter.unreported(who)]));
    try {
      const levels = await useLimits(store, used, this.#limiter.rate.perSecond);
      for (const who of all) {
        const level = levels.get(this.#named(who));
        if (level !== undefined) this.#limiter.settle(who, level);
      }
      if (Date.now() - this.#forgotAt < FORGET_EVERY_MS) return;
      this.#forgotAt = Date.now();
      await forgetLimits(store);
    } catch (error) {
      if (!this.#isClosed) failed(error);
    }
  }

  /** No address is stored. */
  #named(who: string): string {
    return `${this.#options.name} ${shortHash(who, NAME_CHARS)}`;
  }
}
