/**
 * Two queues in front of one worker: urgent jobs, which a user waits for, and background jobs. A background job pauses
 * between its steps, and urgent jobs run in these pauses. After an urgent job the background waits a moment: a prompt asks
 * for its vector and then reads one memory after the other, and a step of the background takes as long as two of them.
 */
import { setImmediate as turn } from 'node:timers/promises';

/** Lets other work go first. Rejects if the job was cancelled. */
export type Pause = () => Promise<void>;

/** The next question of a prompt arrives within this time, after the search that its vector allows. */
const FOLLOWS_MS = 25;

interface Job {
  readonly id: number;
  readonly stop: AbortController;
  readonly work: (pause: Pause) => Promise<void>;
}

export class Lanes {
  readonly #urgent: Job[] = [];
  readonly #background: Job[] = [];
  readonly #running = new Set<Job>();
  readonly #ready: Promise<unknown>;
  #isBusy = false;
  /** Called when an urgent job arrives. */
  #onUrgent = (): void => {};

  /** `ready`: settles when the worker can start. Jobs wait in their lanes until then. */
  constructor(ready: Promise<unknown>) {
    this.#ready = ready;
  }

  /** `work` handles its own errors, and the rejection of its `pause`. */
  add(id: number, isUrgent: boolean, work: Job['work']): void {
    (isUrgent ? this.#urgent : this.#background).push({ id, work, stop: new AbortController() });
    if (isUrgent) this.#onUrgent();
    if (!this.#isBusy) void this.#run();
  }

  /** A job that runs ends at its next pause. */
  cancel(id: number): void {
    for (const lane of [this.#urgent, this.#background]) {
      const at = lane.findIndex((job) => job.id === id);
      if (at >= 0) lane.splice(at, 1);
    }
    for (const job of this.#running) if (job.id === id) job.stop.abort();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    await this.#ready.catch(() => {}); // each job reports it
    while (this.#urgent.length + this.#background.length > 0) {
      await this.#runUrgent(this.#background.length > 0);
      const job = this.#background.shift();
      if (job) await this.#do(job, () => this.#runUrgent(true));
    }
    this.#isBusy = false;
  }

  /** `holdsBack`: whether background work would go on at once after it. */
  async #runUrgent(holdsBack: boolean): Promise<void> {
    await turn(); // receives the messages that arrived during the last step
    for (let job = this.#urgent.shift(); job; job = this.#urgent.shift()) {
      await this.#do(job, () => turn());
      if (holdsBack && this.#urgent.length === 0) await this.#nextUrgent();
    }
  }

  /** Resolves when an urgent job arrives, or none does in time. */
  async #nextUrgent(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onUrgent = resolve;
    const timer = setTimeout(resolve, FOLLOWS_MS);
    await promise;
    clearTimeout(timer);
    this.#onUrgent = () => {};
  }

  async #do(job: Job, letOthers: () => Promise<unknown>): Promise<void> {
    this.#running.add(job);
    await job.work(async () => {
      await letOthers();
      job.stop.signal.throwIfAborted();
    });
    this.#running.delete(job);
  }
}
