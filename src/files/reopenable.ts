/**
 * Something opened when it is first needed, used by many at once, and closed and opened again by one alone. A failed
 * opening is tried again by the next who asks.
 */

export interface Holding<T> {
  readonly open: (why: string) => Promise<T>;
  readonly close: (value: T) => Promise<void>;
  /** Why the value must not be used any longer, if it must not. Asked before every use, so it has to be cheap. */
  readonly stale: (value: T) => string | undefined;
}

export class Reopenable<T> {
  readonly #holding: Holding<T>;
  #opening: Promise<T> | undefined;
  #users = 0;
  #alone: Promise<unknown> | undefined;
  #whenUnused: (() => void)[] = [];

  constructor(holding: Holding<T>) {
    this.#holding = holding;
  }

  async use<R>(work: (value: T) => R | Promise<R>): Promise<R> {
    for (;;) {
      while (this.#alone) await this.#alone.catch(() => {});
      this.#users++;
      try {
        const value = await this.#value();
        const why = this.#holding.stale(value);
        if (why === undefined) return await work(value);
      } finally {
        if (--this.#users === 0) this.#whenUnused.shift()?.();
      }
      await this.renew();
    }
  }

  /** Waits until nobody uses it; those who come later wait for this. */
  async alone<R>(work: (value: T) => Promise<R>): Promise<R> {
    return this.#exclude(async () => work(await this.#value()));
  }

  /** Closes it and opens it again: for what is stale, or with a reason for what is not. Does nothing once that is done. */
  async renew(reason?: string): Promise<void> {
    await this.#exclude(async () => {
      const value = await this.#opening?.catch(() => undefined);
      const why = reason ?? (value === undefined ? '' : this.#holding.stale(value));
      if (why === undefined) return;
      this.#opening = undefined;
      if (value !== undefined) await this.#holding.close(value);
      await this.#value(why);
    });
  }

  /** For the end: nothing is opened that is not open. */
  async close(): Promise<void> {
    await this.#exclude(async () => {
      const value = await this.#opening?.catch(() => undefined);
      this.#opening = undefined;
      if (value !== undefined) await this.#holding.close(value);
    });
  }

  #value(why = ''): Promise<T> {
    this.#opening ??= this.#holding.open(why).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #exclude<R>(work: () => Promise<R>): Promise<R> {
    while (this.#alone || this.#users > 0) {
      if (this.#alone) await this.#alone.catch(() => {});
      else await new Promise<void>((resolve) => this.#whenUnused.push(resolve));
    }
    const running = work();
    this.#alone = running;
    try {
      return await running;
    } finally {
      this.#alone = undefined;
      this.#whenUnused.shift()?.();
    }
  }
}
