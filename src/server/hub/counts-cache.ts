/**
 * Caches counts of all that a member may read: until something changes, and where counting is slow, for a while after.
 * The cache key contains the readable projects, so no member sees a number that includes other projects.
 */
import { shortHash } from '../../core/index.ts';
import { standOf, type Work } from '../store/index.ts';

/** A count that is faster than this is repeated after every change. */
const SLOW_MS = 300;
/** A slow count is reused for so many times the time it took, to leave the database room for other work. */
const REUSE_FACTOR = 20;
/** Of all teams together; the oldest are dropped first. */
const MOST_ENTRIES = 500;
const KEY_CHARS = 24;

interface Entry {
  readonly stand: string;
  readonly at: number;
  readonly took: number;
  readonly value: unknown;
}

export class CountsCache {
  readonly #entries = new Map<string, Entry>();

  /** `name`: what is counted, with all that it depends on besides the team and the readable projects. */
  async of<T>(work: Work, name: string, count: () => Promise<T>): Promise<T> {
    const stand = await standOf(work);
    const projects = stand.map((one) => one.split(' ', 1)[0]);
    const key = shortHash(`${work.team} ${projects.join(' ')} ${name}`, KEY_CHARS);
    const known = this.#entries.get(key);
    const began = performance.now();
    if (known && (known.stand === stand.join() || isRecent(known, began))) return known.value as T; // stored under this name
    const value = await count();
    const took = performance.now() - began;
    this.#entries.delete(key);
    this.#entries.set(key, { stand: stand.join(), at: began + took, took, value });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    return value;
  }
}

function isRecent({ at, took }: Entry, now: number): boolean {
  return took > SLOW_MS && now - at < took * REUSE_FACTOR;
}
