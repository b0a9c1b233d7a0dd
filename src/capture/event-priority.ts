/**
 * Events go before imports: long work asks between its steps whether one is under way, and waits until it is done. Work
 * for the same session does not wait, because the event may be waiting for it.
 */

export class EventPriority {
  readonly #underWay = new Map<string, number>();
  #waiting: (() => void)[] = [];

  async first<T>(session: string, work: () => Promise<T>): Promise<T> {
    this.#underWay.set(session, (this.#underWay.get(session) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#underWay.get(session) ?? 1) - 1;
      if (left > 0) this.#underWay.set(session, left);
      else this.#underWay.delete(session);
      for (const go of this.#waiting.splice(0)) go();
    }
  }

  async giveWay(session: string): Promise<void> {
    while (this.#underWay.size > 0 && !this.#underWay.has(session)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
