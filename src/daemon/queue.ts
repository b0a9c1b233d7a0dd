/**
 * Takes events off the spool one by one, in the order they were accepted, and has each processed as often as it
 * takes: an event that fails three times is set aside with its reason, so that one bad event never stops the rest.
 * What is not an event's fault (a full disk, a writer that cannot start) costs it nothing: it waits.
 */
import { TidemarkError, type SpooledEvent } from '../model/index.ts';
import { Suspect } from './_suspect.ts';
import { factsOf, type Log } from './log.ts';
import type { Delivery, Spool } from './spool.ts';

const TRIES = 3;
/**
 * An event under way while the daemon died three times is suspect, but whoever killed it (a person, a shutdown, a full
 * memory) need not have meant the event: it waits until all others are done and the daemon has lived for a while. Only
 * if it then dies of it again and again, the event is set aside.
 */
const SUSPECT_AFTER_MS = 5000;
const RETRY_AFTER_MS = 250;
/** A disk is not freed within a second, and a person who freed it does not want to wait a minute. */
const TROUBLE_WAIT_MS = [500, 2000, 5000, 15_000] as const;
/** Enough to answer a second delivery of the same event, which follows within seconds. */
const SETTLED_IDS = 512;

/** Errors that would meet any event: the machine's fault, not this one's. */
const TROUBLES = new Set(['disk-full', 'disk-failed', 'not-permitted', 'writer-unready']);

export interface QueueOptions {
  readonly spool: Spool;
  /** Resolves when events can be processed. Asked before one is taken, so that a bad start is no try of an event. */
  readonly ready: () => Promise<unknown>;
  readonly process: (event: SpooledEvent) => Promise<void>;
  readonly log: Log;
  /** Where the event that is tried alone is noted. */
  readonly suspectFile: string;
  /** Milliseconds since the daemon was started. */
  readonly lived?: () => number;
}

export class Queue {
  readonly #options: QueueOptions;
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #settled = new Set<string>();
  readonly #suspect: Suspect;
  readonly #suspects: Delivery[] = [];
  #wakeUp: () => void = () => {};
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Somebody woke it while it was at work, perhaps just after it had found nothing more. */
  #again = false;
  #troubles = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#suspect = new Suspect(options.suspectFile);
  }

  /** Something was appended: work until the spool is empty. */
  wake(): void {
    this.#again = true;
    this.#wakeUp();
    if (this.#stopped || this.#running) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#running = this.#drain().finally(() => {
      this.#running = undefined;
    });
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#retry !== undefined;
  }

  /** Resolves when this event has been processed, or after `timeoutMs`; at once when nothing is under way. */
  reached(eventId: string, timeoutMs: number): Promise<void> {
    if (this.#settled.has(eventId) || !this.#running) return Promise.resolve();
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
    this.#wakeUp();
    clearTimeout(this.#retry);
    this.#retry = undefined;
    await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        while (!this.#stopped && (await this.#step())) this.#troubles = 0;
      }
    } catch (error) {
      this.#later(error);
    }
  }

  /** False when there is nothing left to do. */
  async #step(): Promise<boolean> {
    const { spool, ready } = this.#options;
    if (spool.status().depth === 0) return false;
    await ready().catch((cause: unknown) => {
      throw new TidemarkError('writer-unready', 'the writer cannot start', { cause });
    });
    if (this.#stopped) return false;
    const next = await spool.next();
    if (!next) return this.#suspectStep();
    if (next.tries < TRIES) await this.#finish(next);
    else this.#suspects.push(next);
    return true;
  }

  /** Alone, and not in the first seconds of the daemon's life. */
  async #suspectStep(): Promise<boolean> {
    const [first] = this.#suspects;
    if (!first) return false;
    const { lived = () => process.uptime() * 1000 } = this.#options;
    const wait = SUSPECT_AFTER_MS - lived();
    if (wait > 0) {
      await this.#sleep(wait);
      return true;
    }
    const deaths = await this.#suspect.begin(first.event.id);
    this.#suspects.shift();
    try {
      await this.#finish(first, deaths);
    } finally {
      await this.#suspect.end();
    }
    return true;
  }

  async #finish(next: Delivery, deaths = 0): Promise<void> {
    const { spool, log } = this.#options;
    await this.#settle(next, deaths);
    await spool.done(next.position);
    this.#release(next.event.id);
    log.debug('event processed', { event: next.event.input.hook_event_name, id: next.event.id });
  }

  /** Until the time is up or something new is there. */
  async #sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wakeUp = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.#wakeUp = () => {};
  }

  async #settle({ event, position }: Delivery, deaths: number): Promise<void> {
    const { spool, log } = this.#options;
    try {
      if (deaths >= TRIES) return await spool.setAside(event, `processing ended the daemon ${deaths} times`);
      for (let tries = 1; ; tries++) {
        const error = await this.#try(event);
        if (error === undefined) return;
        log.warn('event failed', { id: event.id, try: tries, ...factsOf(error) });
        if (tries >= TRIES) return await spool.setAside(event, reasonOf(error));
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    } catch (trouble) {
      await spool.giveBack(position);
      throw trouble;
    }
  }

  /** What went wrong with this event, if something did; throws what would have gone wrong with any. */
  async #try(event: SpooledEvent): Promise<unknown> {
    try {
      await this.#options.process(event);
      return undefined;
    } catch (error) {
      if (isTrouble(error)) throw error;
      return error;
    }
  }

  /** The next event that arrives wakes the queue too; this is for when none does. */
  #later(error: unknown): void {
    const wait = TROUBLE_WAIT_MS[Math.min(this.#troubles, TROUBLE_WAIT_MS.length - 1)];
    if (this.#troubles++ === 0) this.#options.log.error('events have to wait', factsOf(error));
    if (this.#stopped) return;
    this.#retry = setTimeout(() => this.wake(), wait);
  }

  #release(eventId: string): void {
    this.#settled.add(eventId);
    const [oldest] = this.#settled;
    if (this.#settled.size > SETTLED_IDS && oldest !== undefined) this.#settled.delete(oldest);
    for (const done of this.#waiting.get(eventId) ?? []) done();
    this.#waiting.delete(eventId);
  }
}

function isTrouble(error: unknown): boolean {
  return error instanceof TidemarkError && TROUBLES.has(error.code);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
