/**
 * The daemon's two worker threads: the writer, which alone changes the stores, and the reader, which answers. When the
 * reader finds the index damaged, the writer repairs it.
 */
import type { Processed } from '../../capture/index.ts';
import { placesIn, TidemarkError, type SpooledEvent } from '../../core/index.ts';
import type { KeepState } from '../../distill/index.ts';
import type { CallMap, Handlers, MainAnswers, ReaderCalls, WriterCalls } from '../api/table.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import { WorkerPort, type CallOptions, type Facts } from './worker-port.ts';

/** Long enough for a transcript of hundreds of megabytes, short enough to notice a thread that hangs. */
const WORK_TIMEOUT_MS = 120_000;
/** A thread that runs JavaScript ends at once when asked to. */
const END_MS = 5000;
/** Stores close in milliseconds unless a long import uses them; that one is safe to interrupt. */
const CLOSE_MS = 1000;

export type Role = 'writer' | 'reader';

export interface WorkerPoolOptions {
  /** The program of each thread. */
  readonly file: (role: Role) => string;
  readonly home: string;
  readonly log: Log;
  /** Answers the calls of the threads. */
  readonly answers: Handlers<MainAnswers>;
  /** How long the writer may read one transcript of the sweep, or one turn, without progress. Default: no limit. */
  readonly readLimitMs?: number;
  /** Called when it took longer. */
  readonly onStuck?: () => void;
  /** Receives what a thread reports without being asked. */
  readonly onNotice: (name: string, facts: Facts) => void;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #writer: WorkerPort<WriterCalls>;
  readonly #reader: WorkerPort<ReaderCalls>;
  /** Changes of `writeLater` that are under way. */
  readonly #later = new Set<Promise<void>>();
  /** Time limits of the writer's current work. */
  readonly #clocks = new Map<string, NodeJS.Timeout>();
  /** Called when the writer begins with an event, by its id. */
  readonly #onBegin = new Map<string, () => void>();
  #repairing: Promise<void> | undefined;
  #keeping: KeepState = { working: false };
  /** Whether the reader was asked since the last rest. */
  #isReaderUsed = false;
  /** Set while the threads are being ended. */
  #resting: Promise<boolean> | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#writer = this.#open('writer');
    this.#reader = this.#open('reader');
  }

  /** Starts both threads. The first call would start each of them too, but one after the other. */
  warm(): void {
    this.#reader.warm();
    this.#writer.warm();
  }

  /** Whether the writer has the small model read turns, and its last failure. */
  get keeping(): KeepState {
    return this.#keeping;
  }

  /** The small model begins or ends with a sentence: the time for its turn starts again. */
  progressed(): void {
    for (const [what, clock] of this.#clocks) if (what.startsWith('read turn ')) clock.refresh();
  }

  /** A change, or a question that only the writer can answer. */
  async write<N extends keyof WriterCalls>(
    name: N,
    args: WriterCalls[N]['args'],
    options: CallOptions<WriterCalls[N]['progress']> = { timeoutMs: WORK_TIMEOUT_MS },
  ): Promise<WriterCalls[N]['result']> {
    while (this.#resting) await this.#resting.catch(() => {}); // a thread that is being ended would not answer
    return this.#writer.call(name, args, options);
  }

  /** A change that no one waits for; a failure is logged. */
  writeLater<N extends keyof WriterCalls>(name: N, args: WriterCalls[N]['args']): void {
    const written = this.write(name, args, { timeoutMs: 0 })
      .catch((error: unknown) => this.#options.log.warn(`${name} not written`, factsOf(error)))
      .then(() => void this.#later.delete(written));
    this.#later.add(written);
  }

  /** Resolves when every `writeLater` so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#later);
  }

  /**
   * Has one event processed. Its time starts when the writer begins with it, not while another task uses the stores
   * alone, and again with each stored part of a transcript. Throws `event-hung` after `limitMs`; the writer continues
   * until `replaceWriter`.
   */
  async process(event: SpooledEvent, hurried: boolean, limitMs: number): Promise<Processed> {
    const { promise: hung, reject } = Promise.withResolvers<never>();
    const onHang = () => reject(new TidemarkError('event-hung', `processing took longer than ${limitMs} ms`));
    this.#onBegin.set(event.id, () => this.#startClock(event.id, limitMs, onHang));
    try {
      return await Promise.race([this.write('process', { event, hurried }, { timeoutMs: 0 }), hung]);
    } finally {
      this.#stopClock(event.id);
      this.#onBegin.delete(event.id);
    }
  }

  /** Ends the writer's thread, which hangs; the next change starts another. Returns false when it cannot be ended. */
  replaceWriter(): Promise<boolean> {
    return this.#writer.replace(END_MS);
  }

  async read<N extends keyof ReaderCalls>(
    name: N,
    args: ReaderCalls[N]['args'],
    timeoutMs = WORK_TIMEOUT_MS,
  ): Promise<ReaderCalls[N]['result']> {
    this.#isReaderUsed = true;
    const stopAt = performance.now() + timeoutMs;
    const left = () => ({ timeoutMs: Math.max(1, stopAt - performance.now()) });
    try {
      return await this.#reader.call(name, args, { timeoutMs });
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      if (error.code === 'index-corrupt') {
        const repaired = this.#repairIndex(error.message);
        // A hook does not wait for that.
        if (timeoutMs < WORK_TIMEOUT_MS) throw error;
        await repaired;
      } else if (error.code !== 'index-missing' && error.code !== 'index-version') throw error;
    }
    // The writer builds or migrates the index; it is ready when the index is.
    await this.write('ready', {}, left()).catch(stillBuilding);
    return this.#reader.call(name, args, left());
  }

  /**
   * Gives back memory. The writer's thread ends, and the next change starts another. The reader's thread is replaced by
   * a new one, which is small and ready: a prompt waits only 150 ms for its answer. Returns false where a call or other
   * work is under way.
   */
  async rest(): Promise<boolean> {
    if (this.#resting || this.#reader.busy || this.#writer.busy) return false;
    this.#resting = this.#end();
    try {
      return await this.#resting;
    } finally {
      this.#resting = undefined;
    }
  }

  async #end(): Promise<boolean> {
    const isReaderUsed = this.#isReaderUsed;
    if (isReaderUsed) await this.#reader.stop(END_MS); // before the writer, as in `close`
    try {
      if (!this.#writer.running) return true;
      if (!(await this.#writer.call('rest', {}, { timeoutMs: WORK_TIMEOUT_MS }))) return false;
      await this.#writer.stop(END_MS);
      return true;
    } finally {
      this.#isReaderUsed = false; // a read from now on sets it again
      if (isReaderUsed) await this.#reader.call('rest', {}, { timeoutMs: WORK_TIMEOUT_MS });
    }
  }

  /** Returns false when a thread cannot be ended. */
  async close(graceMs = END_MS): Promise<boolean> {
    this.#stopClocks();
    // The last connection that closes an index moves its log into the file, so the writer closes last.
    const isReaderOver = await this.#reader.stop(graceMs);
    if (this.#writer.running) await this.write('close', {}, { timeoutMs: CLOSE_MS }).catch(() => {});
    return (await this.#writer.stop(graceMs)) && isReaderOver;
  }

  #repairIndex(why: string): Promise<void> {
    this.#repairing ??= this.write('repair', { why }, { timeoutMs: 0 })
      .catch((error: unknown) => this.#options.log.error('index not repaired', factsOf(error)))
      .finally(() => (this.#repairing = undefined));
    return this.#repairing;
  }

  #startClock(what: string, limitMs: number, onOver: () => void): void {
    this.#stopClock(what);
    this.#clocks.set(what, setTimeout(onOver, limitMs));
  }

  #stopClock(what: string): void {
    clearTimeout(this.#clocks.get(what));
    this.#clocks.delete(what);
  }

  #stopClocks(): void {
    for (const what of this.#clocks.keys()) this.#stopClock(what);
  }

  #open<C extends CallMap>(role: Role): WorkerPort<C> {
    const { file, home, log, answers } = this.#options;
    return new WorkerPort<C>({
      file: file(role),
      answers,
      data: { role, home, compiled: placesIn(home).compiled },
      onNotice: (name, facts) => this.#receive(name, facts),
      onDeath: (error) => {
        if (role === 'writer') {
          this.#stopClocks();
          this.#keeping = { working: false };
        }
        log.error(`${role} died`, factsOf(error));
      },
    });
  }

  #receive(name: string, facts: Facts): void {
    const { readLimitMs, onStuck, onNotice } = this.#options;
    const reading = `read ${String(facts['path'])}`;
    switch (name) {
      case 'begun':
        return this.#onBegin.get(String(facts['id']))?.();
      case 'progressed':
        for (const clock of this.#clocks.values()) clock.refresh();
        return;
      case 'reading':
        if (readLimitMs && onStuck) this.#startClock(reading, readLimitMs, onStuck);
        return;
      case 'read':
        return this.#stopClock(reading);
      case 'keeping':
        this.#keeping = facts as unknown as KeepState; // sent by src/distill/small/keeper.ts
        return;
      default:
        return onNotice(name, facts);
    }
  }
}

/** Tells a caller that waited in vain what it waited for. */
function stillBuilding(error: unknown): never {
  if (!(error instanceof TidemarkError) || error.code !== 'timed-out') throw error;
  throw new TidemarkError('timed-out', 'the index is still being built', {
    hint: 'Try again in a minute. Progress: tidemark logs',
  });
}
