/** Token buckets, one per key or address. They are in memory: several servers of one team count separately. */

export interface Rate {
  /** Tokens added per second. */
  readonly perSecond: number;
  /** Capacity: the number of requests that may come at once. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** More than a server has callers. Beyond it the longest unused buckets are dropped; they are full by then. */
const MOST_BUCKETS = 100_000;
const SECOND = 1000;

export class Limiter {
  readonly #rate: Rate;
  readonly #now: () => number;
  /** Ordered by last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, now: () => number = Date.now) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Returns 0 if the request may pass, otherwise the seconds to wait. */
  take(who: string, cost = 1): number {
    const bucket = this.#bucket(who);
    const price = Math.min(cost, this.#rate.burst);
    if (bucket.tokens >= price) {
      bucket.tokens -= price;
      return 0;
    }
    return Math.ceil((price - bucket.tokens) / this.#rate.perSecond);
  }

  /** Returns whether `take` would pass; takes nothing. */
  isOpen(who: string): boolean {
    return this.#bucket(who).tokens >= 1;
  }

  #bucket(who: string): Bucket {
    const now = this.#now();
    const { perSecond, burst } = this.#rate;
    const old = this.#buckets.get(who);
    const tokens = old ? Math.min(burst, old.tokens + ((now - old.at) / SECOND) * perSecond) : burst;
    const bucket = { tokens, at: now };
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > MOST_BUCKETS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
