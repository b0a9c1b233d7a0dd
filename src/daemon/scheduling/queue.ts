/**
 * Takes events off the spool one by one, in the order they were accepted, and has each processed. An event is set aside
 * with its reason when it fails three times, hangs twice or ends the daemon repeatedly, so that one bad event never
 * stops the rest. A failure of the machine (a full disk, a writer that cannot start) is no try: the event waits. An
 * event that came too early is tried again until it is time; only its own session waits for it.
 */
import type { Processed } from '../../capture/index.ts';
import { TidemarkError, type SpooledEvent } from '../../core/index.ts';
import { Suspect, type Delivery, type Spool } from '../../storage/spool/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';

const TRIES = 3;
/**
 * An event that was being processed when the daemon died twice is suspect. The cause may be another one (a user, a
 * shutdown, another program that took all memory), so it is not set aside yet: it is processed alone, after all others,
 * in a daemon that has run for a while.
 */
const DEATHS_SUSPECT = 2;
/** After this many deaths while the event was processed alone it is set aside. */
const DEATHS_ALONE = 2;
const SUSPECT_AFTER_MS = 5000;
/** An event that hung this often is set aside. The second try comes after all others. */
const HANGS = 2;
const RETRY_AFTER_MS = 250;
/** A disk is not freed within a second, and a user who freed it does not want to wait a minute. */
const RETRY_WAIT_MS = [500, 2000, 5000, 15_000] as const;
/** Short at first: an early event is rarely much too early. */
const EARLY_WAIT_MS = [30, 50, 80, 120, 200, 300] as const;
/**
 * Callers of later events wait for an early one until it is this old. The client writes a turn within some ten
 * milliseconds of its Stop; one that is missing after this time rarely follows soon.
 */
const EARLY_AGE_MS = 400;
/** Enough for a second delivery of the same event, which follows within seconds. */
const SETTLED_IDS = 512;

/** Errors of the machine, which would affect any event. */
const MACHINE_ERRORS = new Set(['disk-full', 'disk-failed', 'not-permitted', 'writer-unready']);

export interface QueueOptions {
  readonly spool: Spool;
  /** Resolves when events can be processed. Called before an event is taken, so that a failed start is no try. */
  readonly ready: () => Promise<unknown>;
  /** `hurried`: something waits for this event. */
  readonly process: (event: SpooledEvent, hurried: boolean) => Promise<Processed>;
  /** Called after an event hung (`process` threw `event-hung`), before the next one is taken. */
  readonly onHang?: () => Promise<void>;
  readonly log: Log;
  /** File with the event that is tried alone. */
  readonly suspectFile: string;
  /** Milliseconds since the daemon was started. */
  readonly lived?: () => number;
}

interface Early {
  readonly delivery: Delivery;
  readonly tries: number;
  /** By `performance.now()`. */
  readonly dueAt: number;
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
  /** Events in the hands of the writer. */
  #begun = 0;
  /** Callers of processed events that still wait for an earlier one. */
  #behindEarly: (() => void)[] = [];
  /** How many callers wait until nothing is left. */
  #idlers = 0;
  #wakeUp: () => void = () => {};
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Set by `wake` during work, perhaps just after the spool was found empty. */
  #again = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #growsOld: NodeJS.Timeout | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#suspect = new Suspect(options.suspectFile);
  }

  /** Works until the spool is empty. */
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

  /** How many events were begun and are not finished: the writer has them, or they are tried again soon. */
  get processing(): number {
    return this.#begun + this.#early.length;
  }

  /** Resolves when this event and those before it are processed, or after `timeoutMs`; at once when the queue is idle. */
  reached(eventId: string, timeoutMs: number): Promise<void> {
    if (this.#settled.has(eventId) || !this.#running) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      const done = () => (clearTimeout(timer), resolve());
      this.#waiting.set(eventId, [...(this.#waiting.get(eventId) ?? []), done]);
    });
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    this.#idlers++;
    this.#wakeUp();
    try {
      while (this.#running) await this.#running;
    } finally {
      this.#idlers--;
    }
  }

  /** Finishes what was begun, early events included, and takes no more. */
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
        while (await this.#step()) this.#failures = 0;
      }
    } catch (error) {
      this.#retryLater(error);
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
    const due = this.#early.find(({ dueAt }) => dueAt <= performance.now());
    if (due) {
      this.#early = this.#early.filter((early) => early !== due);
      await this.#finish(due.delivery, { tries: due.tries });
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

  /** Waits until the first early event is due. */
  async #earlyStep(): Promise<boolean> {
    // All other events are processed or wait for the early ones.
    this.#behindEarly.push(...[...this.#waiting.values()].flat());
    this.#waiting.clear();
    this.#releaseBehindEarly();
    const first = Math.min(...this.#early.map(({ dueAt }) => dueAt));
    await this.#sleep(Math.max(0, first - performance.now()));
    return true;
  }

  /** Processes a suspect alone, and not in the daemon's first seconds. */
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

  async #finish(next: Delivery, { deaths = 0, tries = 0 } = {}): Promise<void> {
    const { spool, log, onHang } = this.#options;
    this.#begun++;
    const settled = await this.#settle(next, deaths).finally(() => this.#begun--);
    if (settled === 'hung') {
      this.#suspects.push(next);
      await onHang?.();
      return;
    }
    if (settled === 'too-early') {
      const wait = EARLY_WAIT_MS[Math.min(tries, EARLY_WAIT_MS.length - 1)] ?? 0;
      this.#early = [...this.#early, { delivery: next, tries: tries + 1, dueAt: performance.now() + wait }];
      return;
    }
    await spool.done(next.position);
    this.#hangs.delete(next.event.id);
    this.#release(next.event.id);
    // Only now: this may end the daemon, which must not begin with this event again.
    if (settled === 'hung-again') await onHang?.();
    log.debug('event processed', { event: next.event.input.hook_event_name, id: next.event.id });
  }

  /** Sleeps until the time is up or an event arrives. */
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
          // A daemon that could not end its writer ended itself: that was a try of an earlier delivery.
          if (hangs + earlier >= HANGS) await setAside(`hung: ${reasonOf(error)}`);
          return hangs + earlier >= HANGS ? 'hung-again' : 'hung';
        }
        if (tries >= TRIES) return await setAside(reasonOf(error));
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    } catch (error) {
      await spool.giveBack(position);
      throw error;
    }
  }

  /** Returns an error of this event; throws an error of the machine. */
  async #try(
    event: SpooledEvent,
    position: Delivery['position'],
  ): Promise<{ processed?: Processed; error?: unknown }> {
    const hurried = this.#stopped || this.#idlers > 0 || this.#options.spool.isFollowed(position);
    try {
      return { processed: await this.#options.process(event, hurried) };
    } catch (error) {
      if (isMachineError(error)) throw error;
      return { error };
    }
  }

  /** The next event wakes the queue too; the timer is for when none arrives. */
  #retryLater(error: unknown): void {
    const wait = RETRY_WAIT_MS[Math.min(this.#failures, RETRY_WAIT_MS.length - 1)];
    if (this.#failures++ === 0) this.#options.log.error('events wait', factsOf(error));
    if (this.#stopped) return;
    this.#retry = setTimeout(() => this.wake(), wait);
  }

  #release(eventId: string): void {
    this.#settled.add(eventId);
    const [oldest] = this.#settled;
    if (this.#settled.size > SETTLED_IDS && oldest !== undefined) this.#settled.delete(oldest);
    this.#behindEarly.push(...(this.#waiting.get(eventId) ?? []));
    this.#waiting.delete(eventId);
    this.#releaseBehindEarly();
  }

  /** Releases the callers now, or when every early event is old enough. */
  #releaseBehindEarly(): void {
    clearTimeout(this.#growsOld);
    if (this.#behindEarly.length === 0) return;
    const youngest = Math.max(...this.#early.map(({ delivery }) => Date.parse(delivery.event.at)));
    const wait = this.#early.length === 0 ? 0 : youngest + EARLY_AGE_MS - Date.now();
    if (wait > 0) this.#growsOld = setTimeout(() => this.#releaseBehindEarly(), Math.min(wait, EARLY_AGE_MS));
    else for (const done of this.#behindEarly.splice(0)) done();
  }
}

function isMachineError(error: unknown): boolean {
  return error instanceof TidemarkError && MACHINE_ERRORS.has(error.code);
}

function isHang(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === 'event-hung';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
