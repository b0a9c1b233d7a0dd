/**
 * Two queues in front of one worker: urgent jobs, which a user waits for, and background jobs. A background job pauses
 * between its steps, and urgent jobs run in these pauses.
 */
import { setImmediate as turn } from 'node:timers/promises';

/** Lets other work go first. Rejects if the job was cancelled. */
export type Pause = () => Promise<void>;

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

  /** `ready`: settles when the worker can start. Jobs wait in their lanes until then. */
  constructor(ready: Promise<unknown>) {
    this.#ready = ready;
  }

  /** `work` handles its own errors, and the rejection of its `pause`. */
  add(id: number, isUrgent: boolean, work: Job['work']): void {
    (isUrgent ? this.#urgent : this.#background).push({ id, work, stop: new AbortController() });
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
      await this.#runUrgent();
      const job = this.#background.shift();
      if (job) await this.#do(job, () => this.#runUrgent());
    }
    this.#isBusy = false;
  }

  async #runUrgent(): Promise<void> {
    await turn(); // receives the messages that arrived during the last step
    for (let job = this.#urgent.shift(); job; job = this.#urgent.shift()) await this.#do(job, () => turn());
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
