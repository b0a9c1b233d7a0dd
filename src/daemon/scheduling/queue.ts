/**
 * Takes events off the spool one by one, in the order they were accepted, and has each processed as often as it
 * takes: an event that fails three times is set aside with its reason, so that one bad event never stops the rest. So is
 * one that ends the daemon again and again, and one that hangs twice.
 * What is not an event's fault (a full disk, a writer that cannot start) costs it nothing: it waits. One that came too
 * early is asked again until it is time; only its own session waits behind it.
 */
import type { Processed } from '../../capture/index.ts';
import { TidemarkError, type SpooledEvent } from '../../core/index.ts';
import { Suspect, type Delivery, type Spool } from '../../storage/spool/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';

const TRIES = 3;
/**
 * An event that was under way when the daemon died twice is suspect. The cause may be another one (a person, a shutdown,
 * another program that took all memory), so the event is not set aside yet: it is processed alone, after all others, in a
 * daemon that has lived for a while.
 */
const DEATHS_SUSPECT = 2;
/** The daemon died this often while it processed the event alone: the event is the cause, and is set aside. */
const DEATHS_ALONE = 2;
const SUSPECT_AFTER_MS = 5000;
/** An event that hung this often is set aside. The second time comes after all others. */
const HANGS = 2;
const RETRY_AFTER_MS = 250;
/** A disk is not freed within a second, and a person who freed it does not want to wait a minute. */
const TROUBLE_WAIT_MS = [500, 2000, 5000, 15_000] as const;
/** What came too early is asked for soon at first, since it is seldom much too early. */
const EARLY_WAIT_MS = [30, 50, 80, 120, 200, 300] as const;
/** Enough to answer a second delivery of the same event, which follows within seconds. */
const SETTLED_IDS = 512;

/** Errors that would meet any event: the machine's fault, not this one's. */
const TROUBLES = new Set(['disk-full', 'disk-failed', 'not-permitted', 'writer-unready']);

export interface QueueOptions {
  readonly spool: Spool;
  /** Resolves when events can be processed. Asked before one is taken, so that a bad start is no try of an event. */
  readonly ready: () => Promise<unknown>;
  /** `hurried`: something waits for this event. */
  readonly process: (event: SpooledEvent, hurried: boolean) => Promise<Processed>;
  /** Called after an event hung (`process` threw `event-hung`), before the next one is taken. */
  readonly onHang?: () => Promise<void>;
  readonly log: Log;
  /** Where the event that is tried alone is noted. */
  readonly suspectFile: string;
  /** Milliseconds since the daemon was started. */
  readonly lived?: () => number;
}

interface Early {
  readonly delivery: Delivery;
  readonly asked: number;
  /** By `performance.now()`. */
  readonly again: number;
}

/** `hung-again`: it is set aside. */
type Settled = Processed | 'hung' | 'hung-again';

export class Queue {
  readonly #options: QueueOptions;
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #settled = new Set<string>();
  readonly #suspect: Suspect;
  readonly #suspects: Delivery[] = [];
  /** How often each event hung, by its id. */
  readonly #hangs = new Map<string, number>();
  #early: readonly Early[] = [];
  /** Of those done, whoever waits for what came before them too. */
  #behindEarly: (() => void)[] = [];
  /** How many wait until nothing is left. */
  #idlers = 0;
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

  /** Resolves when this event and what came before it is processed, or after `timeoutMs`; at once when nothing is under way. */
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
    this.#idlers++;
    this.#wakeUp();
    try {
      while (this.#running) await this.#running;
    } finally {
      this.#idlers--;
    }
  }

  /** Lets what is in hand finish, that which came too early included, and takes no more. */
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
        while (await this.#step()) this.#troubles = 0;
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
    if (this.#stopped && this.#early.length === 0) return false;
    const due = this.#early.find(({ again }) => again <= performance.now());
    if (due) {
      this.#early = this.#early.filter((early) => early !== due);
      await this.#finish(due.delivery, { asked: due.asked });
      return true;
    }
    this.#again = false;
    if (this.#stopped) return this.#earlyStep();
    const next = await spool.next();
    if (!next) return this.#early.length > 0 ? this.#earlyStep() : this.#suspectStep();
    if (next.tries < DEATHS_SUSPECT) await this.#finish(next);
    else this.#suspects.push(next);
    return true;
  }

  /** Nothing else to do before the first of them is due. */
  async #earlyStep(): Promise<boolean> {
    const first = Math.min(...this.#early.map(({ again }) => again));
    await this.#sleep(Math.max(0, first - performance.now()));
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
      await this.#finish(first, { deaths });
    } finally {
      await this.#suspect.end();
    }
    return true;
  }

  async #finish(next: Delivery, { deaths = 0, asked = 0 } = {}): Promise<void> {
    const { spool, log, onHang } = this.#options;
    const settled = await this.#settle(next, deaths);
    if (settled === 'hung') {
      this.#suspects.push(next);
      await onHang?.();
      return;
    }
    if (settled === 'too-early') {
      const wait = EARLY_WAIT_MS[Math.min(asked, EARLY_WAIT_MS.length - 1)] ?? 0;
      this.#early = [...this.#early, { delivery: next, asked: asked + 1, again: performance.now() + wait }];
      return;
    }
    await spool.done(next.position);
    this.#hangs.delete(next.event.id);
    this.#release(next.event.id);
    // Only now: ending what hangs may end the daemon, which must not begin with this event again.
    if (settled === 'hung-again') await onHang?.();
    log.debug('event processed', { event: next.event.input.hook_event_name, id: next.event.id });
  }

  /** Until the time is up or something new is there. */
  async #sleep(ms: number): Promise<void> {
    if (this.#again) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wakeUp = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.#wakeUp = () => {};
  }

  async #settle({ event, position, tries: earlier }: Delivery, deaths: number): Promise<Settled> {
    const { spool, log } = this.#options;
    const setAside = async (reason: string): Promise<Processed> => {
      log.error('event set aside', { id: event.id, event: event.input.hook_event_name, reason });
      await spool.setAside(event, reason);
      return 'done';
    };
    try {
      if (deaths >= DEATHS_ALONE) return await setAside(`processing ended the daemon ${deaths} times`);
      for (let tries = 1; ; tries++) {
        const { processed, error } = await this.#try(event, position);
        if (processed) return processed;
        log.warn('event failed', { id: event.id, try: tries, ...factsOf(error) });
        if (isHang(error)) {
          const hangs = (this.#hangs.get(event.id) ?? 0) + 1;
          this.#hangs.set(event.id, hangs);
          // A daemon that could not end its writer ended itself: that is a try of a delivery before this one.
          if (hangs + earlier >= HANGS) await setAside(`hung: ${reasonOf(error)}`);
          return hangs + earlier >= HANGS ? 'hung-again' : 'hung';
        }
        if (tries >= TRIES) return await setAside(reasonOf(error));
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    } catch (trouble) {
      await spool.giveBack(position);
      throw trouble;
    }
  }

  /** What went wrong with this event, if something did; throws what would have gone wrong with any. */
  async #try(
    event: SpooledEvent,
    position: Delivery['position'],
  ): Promise<{ processed?: Processed; error?: unknown }> {
    const hurried = this.#stopped || this.#idlers > 0 || this.#options.spool.isFollowed(position);
    try {
      return { processed: await this.#options.process(event, hurried) };
    } catch (error) {
      if (isTrouble(error)) throw error;
      return { error };
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
    this.#behindEarly.push(...(this.#waiting.get(eventId) ?? []));
    this.#waiting.delete(eventId);
    if (this.#early.length === 0) for (const done of this.#behindEarly.splice(0)) done();
  }
}

function isTrouble(error: unknown): boolean {
  return error instanceof TidemarkError && TROUBLES.has(error.code);
}

function isHang(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === 'event-hung';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
