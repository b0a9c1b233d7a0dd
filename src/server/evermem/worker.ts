/** Digests in the background what was taken in: soon after it came, and after a start what a server before left behind. */
import { waitingCallers, type Caller, type Queue, type TeamStore } from '../store/index.ts';
import { digest, isAway } from './digest.ts';
import { PAIRED_MS } from './exchanges.ts';

/** After a failure; doubled each time, up to a minute. */
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** What another server took in and did not digest is found by looking around. */
const ROUND_MS = 60_000;
/** What another server holds at the moment is looked for again after this. */
const HELD_MS = 5000;
/** So many members at once: requests need the connections more. */
const AT_ONCE = 2;
/** Of one member: whoever sends faster than can be digested has to wait. An hour of the busiest client is a hundredth. */
const MOST_WAITING = 10_000;

export interface WorkerOptions {
  readonly store: TeamStore;
  readonly failed: (error: unknown) => void;
  readonly now?: () => Date;
  /** Messages of one member that may wait at once. */
  readonly most?: number;
}

interface Due {
  readonly caller: Caller;
  readonly at: number;
  readonly failures: number;
  /** What was refused together is tried one by one. */
  readonly careful: boolean;
}

export class Worker {
  readonly #store: TeamStore;
  readonly #failed: (error: unknown) => void;
  readonly #now: () => Date;
  /** When each member's messages are looked at next. */
  readonly #due = new Map<string, Due>();
  /** What waits, as far as this server knows: what it took in, and what was left when it looked last. */
  readonly #left = new Map<string, Queue>();
  readonly #most: number;
  readonly #running = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #round: NodeJS.Timeout | undefined;
  #ended = false;
  #setAside = 0;

  constructor({ store, failed, now = () => new Date(), most = MOST_WAITING }: WorkerOptions) {
    this.#most = most;
    this.#store = store;
    this.#failed = failed;
    this.#now = now;
  }

  start(): void {
    this.#lookAround();
  }

  /** So many new messages of this member have come. */
  wake(caller: Caller, messages: number): void {
    const now = this.#now();
    const before = this.#left.get(keyOf(caller));
    if (messages > 0)
      this.#left.set(keyOf(caller), {
        messages: (before?.messages ?? 0) + messages,
        oldestAt: before?.oldestAt ?? now.toISOString(),
      });
    this.#plan({ caller, at: now.getTime() + PAIRED_MS, failures: 0, careful: false });
  }

  /** So much of this member waits that no more is to be taken in for now. */
  isBehind(caller: Caller): boolean {
    return (this.#left.get(keyOf(caller))?.messages ?? 0) >= this.#most;
  }

  /** Messages that are no memories yet. */
  get waiting(): number {
    return [...this.#left.values()].reduce((sum, { messages }) => sum + messages, 0);
  }

  /** For how long the oldest of them has waited, in seconds. */
  get lag(): number {
    const oldest = [...this.#left.values()].flatMap(({ oldestAt }) =>
      oldestAt ? [Date.parse(oldestAt)] : [],
    );
    return oldest.length === 0 ? 0 : Math.max(0, (this.#now().getTime() - Math.min(...oldest)) / 1000);
  }

  /** Messages that could not become memories since the start. */
  get setAside(): number {
    return this.#setAside;
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#round);
    await Promise.all(this.#running.values());
  }

  #lookAround(): void {
    waitingCallers(this.#store)
      .then((callers) =>
        callers.forEach((caller) =>
          this.#plan({ caller, at: this.#now().getTime(), failures: 0, careful: false }),
        ),
      )
      .catch(this.#failed)
      .finally(() => {
        if (!this.#ended) this.#round = setTimeout(() => this.#lookAround(), ROUND_MS).unref();
      });
  }

  #plan(due: Due): void {
    if (this.#ended) return;
    const key = keyOf(due.caller);
    const known = this.#due.get(key);
    if (!known || known.at > due.at || due.failures > known.failures) this.#due.set(key, due);
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
    for (const [key, due] of this.#due) {
      if (due.at > now || this.#running.has(key) || this.#running.size >= AT_ONCE) continue;
      this.#due.delete(key);
      const work = this.#digest(due).finally(() => {
        this.#running.delete(key);
        this.#arm();
      });
      this.#running.set(key, work);
    }
    this.#arm();
  }

  async #digest({ caller, failures, careful }: Due): Promise<void> {
    try {
      const { more, nextAt, left, failed } = await this.#store.transaction(caller, (work) =>
        digest(work, this.#now(), careful),
      );
      if (left.messages > 0) this.#left.set(keyOf(caller), left);
      else this.#left.delete(keyOf(caller));
      this.#setAside += failed;
      const now = this.#now().getTime();
      if (more) this.#plan({ caller, at: now, failures: 0, careful });
      else if (left.messages > 0) {
        const at = nextAt?.getTime() ?? now + HELD_MS;
        this.#plan({ caller, at, failures: 0, careful: false });
      }
    } catch (error) {
      this.#failed(error);
      const wait = Math.min(RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
      const at = this.#now().getTime() + wait;
      this.#plan({ caller, at, failures: failures + 1, careful: careful || !isAway(error) });
    }
  }
}

function keyOf({ team, member }: Caller): string {
  return `${team}/${member}`;
}
