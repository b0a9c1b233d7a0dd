/**
 * A level per key or address that each request raises and that runs off over time. A request passes below the limit.
 * Levels are in memory; what other servers counted comes in through `settle` (shared-limits.ts). Pure.
 */

export interface Rate {
  /** How much runs off per second: the requests per second in the long run. */
  readonly perSecond: number;
  /** The limit: the number of requests that may come at once. */
  readonly burst: number;
}

interface Bucket {
  level: number;
  at: number;
  /** Used here and not reported to the other servers yet. */
  fresh: number;
}

/** More than a server has callers. Beyond it the longest unused buckets are dropped; they are empty by then. */
const MOST_BUCKETS = 100_000;
const SECOND = 1000;

export class Limiter {
  readonly rate: Rate;
  readonly #now: () => number;
  /** Ordered by last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, now: () => number = Date.now) {
    this.rate = rate;
    this.#now = now;
  }

  /** Returns 0 if the request may pass, otherwise the seconds to wait. */
  take(who: string, cost = 1): number {
    const { burst, perSecond } = this.rate;
    const bucket = this.#bucket(who);
    const price = Math.min(cost, burst);
    const over = bucket.level + price - burst;
    if (over > 0) return Math.ceil(over / perSecond);
    bucket.level += price;
    bucket.fresh += price;
    return 0;
  }

  /** Returns whether `take` would pass; takes nothing. */
  isOpen(who: string): boolean {
    return this.#bucket(who).level + 1 <= this.rate.burst;
  }

  /** Returns the level as a part of the limit. */
  fullness(who: string): number {
    return this.#bucket(who).level / this.rate.burst;
  }

  /** Returns what was used here since the last call, which the caller reports. */
  unreported(who: string): number {
    const bucket = this.#bucket(who);
    const { fresh } = bucket;
    bucket.fresh = 0;
    return fresh;
  }

  /** Sets the level that all servers have together; what was used here meanwhile comes on top. */
  settle(who: string, level: number): void {
    const bucket = this.#bucket(who);
    bucket.level = level + bucket.fresh;
  }

  #bucket(who: string): Bucket {
    const now = this.#now();
    const old = this.#buckets.get(who);
    const runOff = old ? ((now - old.at) / SECOND) * this.rate.perSecond : 0;
    const level = Math.max(0, (old?.level ?? 0) - runOff);
    // What ran off here is not reported either: it would count as if it came at once.
    const bucket = { level, at: now, fresh: Math.min(old?.fresh ?? 0, level) };
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > MOST_BUCKETS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
