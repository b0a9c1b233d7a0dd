/**
 * Counts of all a member may read, kept: as long as nothing changed, and where counting takes long, for a while after.
 * Who may read other projects counts anew, so that nobody sees a number of what is not shared with them.
 */
import { shortHash } from '../../core/index.ts';
import { standOf, type Work } from '../store/index.ts';

/** Quicker than this, it is counted with every change. */
const SLOW_MS = 300;
/** What took a second to count may be so many seconds old: a server is there for more than counting. */
const REST = 20;
/** Of all teams; the oldest go first. */
const MOST_KEPT = 500;
const KEY_CHARS = 24;

interface Kept {
  readonly seq: number;
  readonly at: number;
  readonly took: number;
  readonly value: unknown;
}

export class Counted {
  readonly #kept = new Map<string, Kept>();

  /** `name`: what is counted, with everything it depends on besides the team and what may be read. */
  async of<T>(work: Work, name: string, count: () => Promise<T>): Promise<T> {
    const { seq, projects } = await standOf(work);
    const key = shortHash(`${work.team} ${projects.join(' ')} ${name}`, KEY_CHARS);
    const known = this.#kept.get(key);
    const began = performance.now();
    if (known && (known.seq === seq || isRecent(known, began))) return known.value as T; // kept under this very name
    const value = await count();
    const took = performance.now() - began;
    this.#kept.delete(key);
    this.#kept.set(key, { seq, at: began + took, took, value });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return value;
  }
}

function isRecent({ at, took }: Kept, now: number): boolean {
  return took > SLOW_MS && now - at < took * REST;
}
