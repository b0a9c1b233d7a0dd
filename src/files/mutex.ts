/** Locks between asynchronous tasks of one thread. A task that fails does not stop the next. */

/** Runs one task at a time, in the order they were handed in. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();
  #tasks = 0;

  /** Whether a task is under way or waits. */
  get busy(): boolean {
    return this.#tasks > 0;
  }

  run<T>(task: () => T | Promise<T>): Promise<T> {
    this.#tasks++;
    const running = this.#last.then(task).finally(() => this.#tasks--);
    this.#last = running.catch(() => {});
    return running;
  }

  /** Resolves when every task handed in so far is done. */
  async idle(): Promise<void> {
    for (let seen: unknown; seen !== this.#last; await seen) seen = this.#last;
  }
}

/** One mutex per key: tasks of different keys run at once. A key without tasks costs nothing. */
export class KeyedMutex {
  readonly #running = new Map<string, { readonly mutex: Mutex; tasks: number }>();

  async run<T>(key: string, task: () => T | Promise<T>): Promise<T> {
    const entry = this.#running.get(key) ?? { mutex: new Mutex(), tasks: 0 };
    this.#running.set(key, entry);
    entry.tasks++;
    try {
      return await entry.mutex.run(task);
    } finally {
      if (--entry.tasks === 0) this.#running.delete(key);
    }
  }
}

/** Lets many append at once, and one rewrite while no append is under way. */
export class SharedLock {
  readonly #rewrites = new Mutex();

  /** Resolves when no rewrite is under way. The caller must queue all its appends in the same tick. */
  pass(): Promise<void> {
    return this.#rewrites.idle();
  }

  /** Rewrites run one at a time. The task must first wait for queued appends, by closing the files it replaces. */
  rewrite<T>(task: () => Promise<T>): Promise<T> {
    return this.#rewrites.run(task);
  }
}
