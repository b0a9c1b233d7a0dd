/** Digests in the background what was taken in: soon after it came, and after a start what a server before left behind. */
import { waitingCallers, type Caller, type TeamStore } from '../store/index.ts';
import { digest } from './digest.ts';
import { PAIRED_MS } from './exchanges.ts';

/** After a failure; doubled each time, up to a minute. */
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** What another server took in and did not digest is found by looking around. */
const ROUND_MS = 60_000;
/** So many members at once: requests need the connections more. */
const AT_ONCE = 2;

export interface WorkerOptions {
  readonly store: TeamStore;
  readonly failed: (error: unknown) => void;
  readonly now?: () => Date;
}

export class Worker {
  readonly #store: TeamStore;
  readonly #failed: (error: unknown) => void;
  readonly #now: () => Date;
  /** When each member's messages are looked at next. */
  readonly #due = new Map<
    string,
    { readonly caller: Caller; readonly at: number; readonly failures: number }
  >();
  readonly #running = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #round: NodeJS.Timeout | undefined;
  #ended = false;

  constructor({ store, failed, now = () => new Date() }: WorkerOptions) {
    this.#store = store;
    this.#failed = failed;
    this.#now = now;
  }

  start(): void {
    this.#lookAround();
  }

  /** Messages of this member have come. */
  wake(caller: Caller): void {
    this.#plan(caller, this.#now().getTime() + PAIRED_MS, 0);
  }

  /** How many members have messages that wait, as far as this server knows. */
  get waiting(): number {
    return this.#due.size + this.#running.size;
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#round);
    await Promise.all(this.#running.values());
  }

  #lookAround(): void {
    waitingCallers(this.#store)
      .then((callers) => callers.forEach((caller) => this.#plan(caller, this.#now().getTime(), 0)))
      .catch(this.#failed)
      .finally(() => {
        if (!this.#ended) this.#round = setTimeout(() => this.#lookAround(), ROUND_MS).unref();
      });
  }

  #plan(caller: Caller, at: number, failures: number): void {
    if (this.#ended) return;
    const key = keyOf(caller);
    const known = this.#due.get(key);
    if (!known || known.at > at || failures > known.failures) this.#due.set(key, { caller, at, failures });
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#ended || this.#running.size >= AT_ONCE) return;
    const idle = [...this.#due].filter(([key]) => !this.#running.has(key));
    if (idle.length === 0) return;
    const next = Math.min(...idle.map(([, { at }]) => at));
    this.#timer = setTimeout(() => this.#run(), Math.max(0, next - this.#now().getTime())).unref();
  }

  #run(): void {
    const now = this.#now().getTime();
    for (const [key, { caller, at, failures }] of this.#due) {
      if (at > now || this.#running.has(key) || this.#running.size >= AT_ONCE) continue;
      this.#due.delete(key);
      const work = this.#digest(caller, failures).finally(() => {
        this.#running.delete(key);
        this.#arm();
      });
      this.#running.set(key, work);
    }
    this.#arm();
  }

  async #digest(caller: Caller, failures: number): Promise<void> {
    try {
      const { more, nextAt } = await this.#store.transaction(caller, (work) => digest(work, this.#now()));
      if (more) this.#plan(caller, this.#now().getTime(), 0);
      else if (nextAt) this.#plan(caller, nextAt.getTime(), 0);
    } catch (error) {
      this.#failed(error);
      const wait = Math.min(RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
      this.#plan(caller, this.#now().getTime() + wait, failures + 1);
    }
  }
}

function keyOf({ team, member }: Caller): string {
  return `${team}/${member}`;
}
