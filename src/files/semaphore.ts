/**
 * Lets only so many through at once, the rest in the order they came. Stands before the pool, whose own queue would give
 * up after the time a connection may take to open: a server that is busy is not a database that is away.
 */
import { TidemarkError } from '../core/index.ts';

interface Waiting {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

export class Semaphore {
  #free: number;
  readonly #patienceMs: number;
  readonly #waiting = new Set<Waiting>();

  constructor(places: number, patienceMs: number) {
    this.#free = places;
    this.#patienceMs = patienceMs;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async through<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        go: resolve,
        timer: setTimeout(() => {
          this.#waiting.delete(one);
          reject(busy());
        }, this.#patienceMs),
      };
      this.#waiting.add(one);
    });
  }

  /** The place goes to who waits longest. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    clearTimeout(next.timer);
    next.go();
  }
}

function busy(): TidemarkError {
  return new TidemarkError('database-unavailable', 'too many requests wait for the database', {
    hint: 'give the server more connections (--connections), or the database more room',
  });
}
