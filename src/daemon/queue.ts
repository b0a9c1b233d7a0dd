/**
 * Takes events off the spool one by one, in the order they were accepted, and has each processed exactly as often as
 * it takes: an event that fails three times is set aside with its reason, so that one bad event never stops the rest.
 */
import type { SpooledEvent } from '../model/index.ts';
import { factsOf, type Log } from './log.ts';
import type { Spool } from './spool.ts';

const TRIES = 3;
const RETRY_AFTER_MS = 250;

export interface QueueOptions {
  readonly spool: Spool;
  readonly process: (event: SpooledEvent) => Promise<void>;
  readonly log: Log;
}

export class Queue {
  readonly #options: QueueOptions;
  readonly #waiting = new Map<string, (() => void)[]>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Something was appended: work until the spool is empty. */
  wake(): void {
    if (this.#stopped || this.#running) return;
    this.#running = this.#drain().finally(() => {
      this.#running = undefined;
    });
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when this event has been processed, or after `timeoutMs`. */
  reached(eventId: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      const done = () => (clearTimeout(timer), resolve());
      this.#waiting.set(eventId, [...(this.#waiting.get(eventId) ?? []), done]);
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Lets the event in hand finish and takes no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    const { spool, log } = this.#options;
    for (;;) {
      if (this.#stopped) return;
      const next = await spool.next();
      if (!next) return;
      await this.#settle(next.event, next.tries);
      await spool.done(next.position);
      this.#release(next.event.id);
      log.debug('event processed', { event: next.event.input.hook_event_name, id: next.event.id });
    }
  }

  async #settle(event: SpooledEvent, triesBefore: number): Promise<void> {
    const { spool, log } = this.#options;
    for (let tries = triesBefore; ; tries++) {
      try {
        if (tries >= TRIES) {
          await spool.setAside(event, 'processing ended the daemon three times');
          return;
        }
        await this.#options.process(event);
        return;
      } catch (error) {
        log.warn('event failed', { id: event.id, try: tries + 1, ...factsOf(error) });
        if (tries + 1 >= TRIES) {
          await spool.setAside(event, error instanceof Error ? error.message : String(error));
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  }

  #release(eventId: string): void {
    for (const done of this.#waiting.get(eventId) ?? []) done();
    this.#waiting.delete(eventId);
  }
}
