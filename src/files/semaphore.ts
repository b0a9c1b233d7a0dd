/** Lets a fixed number of tasks run at once; the others wait in order, up to a time limit. */

interface Waiting {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

export class Semaphore {
  #free: number;
  readonly #waitMs: number;
  readonly #tooLong: () => Error;
  readonly #waiting = new Set<Waiting>();

  /** `tooLong` makes the error of a task that waited longer than `waitMs`. */
  constructor(limit: number, waitMs: number, tooLong: () => Error) {
    this.#free = limit;
    this.#waitMs = waitMs;
    this.#tooLong = tooLong;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
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
          reject(this.#tooLong());
        }, this.#waitMs),
      };
      this.#waiting.add(one);
    });
  }

  /** Hands the slot to the task that waited longest. */
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
