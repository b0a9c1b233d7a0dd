/** Lets many append at once, and one rewrite while nobody does. */

export class SharedLock {
  #rewriting: Promise<unknown> = Promise.resolve();

  /** Resolves when no rewrite is under way. Whoever passes must queue all appends in the same tick. */
  async pass(): Promise<void> {
    for (let seen: unknown; seen !== this.#rewriting; await seen) seen = this.#rewriting;
  }

  /** One at a time. The work must first wait for the appends already queued, by closing the files it replaces. */
  rewrite<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#rewriting.then(work);
    this.#rewriting = result.catch(() => {});
    return result;
  }
}
