/**
 * Gives events priority over imports: long work waits between its steps while an event is being processed. Work for the
 * session of that event does not wait, because the event may be waiting for it.
 */
export class EventPriority {
  readonly #inProgress = new Map<string, number>();
  #waiting: (() => void)[] = [];

  async first<T>(session: string, work: () => Promise<T>): Promise<T> {
    this.#inProgress.set(session, (this.#inProgress.get(session) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#inProgress.get(session) ?? 1) - 1;
      if (left > 0) this.#inProgress.set(session, left);
      else this.#inProgress.delete(session);
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  /** Resolves when no event is being processed, or one of this session is. */
  async waitFor(session: string): Promise<void> {
    while (this.#inProgress.size > 0 && !this.#inProgress.has(session)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
