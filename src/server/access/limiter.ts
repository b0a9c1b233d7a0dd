/**
 * Token buckets, one per key or address: so many requests at once, so many a second after that. In memory: each
 * server of several counts for itself.
 */

export interface Rate {
  /** Refilled a second. */
  readonly perSecond: number;
  /** Held when full: what may come at once. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** More than a server has callers; beyond it the longest unused go, and they would be full again anyway. */
const MOST_BUCKETS = 100_000;
const SECOND = 1000;

export class Limiter {
  readonly #rate: Rate;
  readonly #now: () => number;
  /** In the order of last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, now: () => number = Date.now) {
    this.#rate = rate;
    this.#now = now;
  }

  /** 0 if it may go on, else the seconds after which it may. */
  take(who: string, cost = 1): number {
    const bucket = this.#bucket(who);
    const price = Math.min(cost, this.#rate.burst);
    if (bucket.tokens >= price) {
      bucket.tokens -= price;
      return 0;
    }
    return Math.ceil((price - bucket.tokens) / this.#rate.perSecond);
  }

  /** Whether `take` would let it go on; takes nothing. */
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
