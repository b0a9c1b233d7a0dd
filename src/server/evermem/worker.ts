/** Processes queued messages in the background, including those of an earlier run or another server. */
import { waitingCallers, type Caller, type Queue, type TeamStore } from '../store/index.ts';
import { PAIRED_MS } from './exchanges.ts';
import { isUnavailable, processMessages } from './process.ts';

/** The wait after a failure; doubled each time, up to a minute. */
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** The interval of the search for messages that another server received and did not process. */
const SCAN_MS = 60_000;
/** The wait for messages that another server has locked. */
const LOCKED_MS = 5000;
/** Members processed at the same time; few, because requests need the connections. */
const PARALLEL = 2;
/** The limit of queued messages per member; a hundred times what a busy client sends in an hour. */
const MAX_QUEUED = 10_000;

interface WorkerOptions {
  readonly store: TeamStore;
  readonly failed: (error: unknown) => void;
  /** The limit of queued messages per member. */
  readonly most?: number;
}

interface Due {
  readonly caller: Caller;
  readonly at: number;
  readonly failures: number;
  /** Whether to process one exchange at a time, after a batch was refused. */
  readonly careful: boolean;
}

export class Worker {
  readonly #store: TeamStore;
  readonly #failed: (error: unknown) => void;
  /** When to process each member's messages next. */
  readonly #due = new Map<string, Due>();
  /** The queues as far as this server knows them. */
  readonly #queues = new Map<string, Queue>();
  readonly #most: number;
  readonly #running = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #scanTimer: NodeJS.Timeout | undefined;
  #ended = false;
  #setAside = 0;

  constructor({ store, failed, most = MAX_QUEUED }: WorkerOptions) {
    this.#most = most;
    this.#store = store;
    this.#failed = failed;
  }

  /** Finds members with queued messages, now and at intervals. */
  start(): void {
    waitingCallers(this.#store)
      .then((callers) => {
        const at = Date.now();
        for (const caller of callers) this.#plan({ caller, at, failures: 0, careful: false });
      })
      .catch(this.#failed)
      .finally(() => {
        if (!this.#ended) this.#scanTimer = setTimeout(() => this.start(), SCAN_MS).unref();
      });
  }

  /** Called after this many new messages of a member were stored. */
  wake(caller: Caller, messages: number): void {
    const now = new Date();
    const before = this.#queues.get(keyOf(caller));
    if (messages > 0)
      this.#queues.set(keyOf(caller), {
        messages: (before?.messages ?? 0) + messages,
        oldestAt: before?.oldestAt ?? now.toISOString(),
      });
    this.#plan({ caller, at: now.getTime() + PAIRED_MS, failures: 0, careful: false });
  }

  /** Whether the member's queue is full. */
  isBehind(caller: Caller): boolean {
    return (this.#queues.get(keyOf(caller))?.messages ?? 0) >= this.#most;
  }

  /** Queued messages. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { messages }) => sum + messages, 0);
  }

  /** Age of the oldest queued message, in seconds. */
  get lag(): number {
    const oldest = [...this.#queues.values()].flatMap(({ oldestAt }) =>
      oldestAt ? [Date.parse(oldestAt)] : [],
    );
    return oldest.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...oldest)) / 1000);
  }

  /** Messages set aside since the start. */
  get setAside(): number {
    return this.#setAside;
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#scanTimer);
    await Promise.all(this.#running.values());
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
    if (this.#ended || this.#running.size >= PARALLEL) return;
    const idle = [...this.#due].filter(([key]) => !this.#running.has(key));
    if (idle.length === 0) return;
    const next = Math.min(...idle.map(([, { at }]) => at));
    this.#timer = setTimeout(() => this.#run(), Math.max(0, next - Date.now())).unref();
  }

  #run(): void {
    const now = Date.now();
    for (const [key, due] of this.#due) {
      if (due.at > now || this.#running.has(key) || this.#running.size >= PARALLEL) continue;
      this.#due.delete(key);
      const work = this.#process(due).finally(() => {
        this.#running.delete(key);
        this.#arm();
      });
      this.#running.set(key, work);
    }
    this.#arm();
  }

  async #process({ caller, failures, careful }: Due): Promise<void> {
    try {
      const { more, nextAt, left, failed } = await this.#store.transaction(caller, (work) =>
        processMessages(work, new Date(), careful),
      );
      if (left.messages > 0) this.#queues.set(keyOf(caller), left);
      else this.#queues.delete(keyOf(caller));
      this.#setAside += failed;
      const now = Date.now();
      if (more) this.#plan({ caller, at: now, failures: 0, careful });
      else if (left.messages > 0) {
        const at = nextAt?.getTime() ?? now + LOCKED_MS;
        this.#plan({ caller, at, failures: 0, careful: false });
      }
    } catch (error) {
      this.#failed(error);
      const wait = Math.min(RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
      const at = Date.now() + wait;
      this.#plan({ caller, at, failures: failures + 1, careful: careful || !isUnavailable(error) });
    }
  }
}

function keyOf({ team, member }: Caller): string {
  return `${team}/${member}`;
}
