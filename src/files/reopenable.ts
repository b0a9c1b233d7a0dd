/** A resource that is opened on first use, shared by many tasks, and reopened by one task alone when it is stale. */

export interface Resource<T> {
  readonly open: (why: string) => Promise<T>;
  readonly close: (value: T) => Promise<void>;
  /** Returns why the value must be reopened, or undefined. Called before every use, so it must be cheap. */
  readonly stale: (value: T) => string | undefined;
}

export class Reopenable<T> {
  readonly #resource: Resource<T>;
  #opening: Promise<T> | undefined;
  #users = 0;
  #alone: Promise<unknown> | undefined;
  #whenIdle: (() => void)[] = [];

  constructor(resource: Resource<T>) {
    this.#resource = resource;
  }

  async use<R>(work: (value: T) => R | Promise<R>): Promise<R> {
    for (;;) {
      while (this.#alone) await this.#alone.catch(() => {});
      this.#users++;
      try {
        const value = await this.#value();
        const why = this.#resource.stale(value);
        if (why === undefined) return await work(value);
      } finally {
        if (--this.#users === 0) this.#whenIdle.shift()?.();
      }
      await this.reopen();
    }
  }

  /** Runs while no other task uses the value; later tasks wait. */
  async alone<R>(work: (value: T) => Promise<R>): Promise<R> {
    return this.#exclude(async () => work(await this.#value()));
  }

  /** Closes and opens the value again when it is stale, or when the caller gives a reason. */
  async reopen(reason?: string): Promise<void> {
    await this.#exclude(async () => {
      const value = await this.#opening?.catch(() => undefined);
      const why = reason ?? (value === undefined ? '' : this.#resource.stale(value));
      if (why === undefined) return;
      this.#opening = undefined;
      if (value !== undefined) await this.#resource.close(value);
      await this.#value(why);
    });
  }

  /** Closes the value if it is open. */
  async close(): Promise<void> {
    await this.#exclude(async () => {
      const value = await this.#opening?.catch(() => undefined);
      this.#opening = undefined;
      if (value !== undefined) await this.#resource.close(value);
    });
  }

  #value(why = ''): Promise<T> {
    this.#opening ??= this.#resource.open(why).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #exclude<R>(work: () => Promise<R>): Promise<R> {
    while (this.#alone || this.#users > 0) {
      if (this.#alone) await this.#alone.catch(() => {});
      else await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    }
    const running = work();
    this.#alone = running;
    try {
      return await running;
    } finally {
      this.#alone = undefined;
      this.#whenIdle.shift()?.();
    }
  }
}
