/**
 * The daemon's two worker threads: the writer, who alone changes the stores, and the reader, who answers. Calls go to
 * the one they belong to; a damaged index met while reading is mended by the one who may write it.
 */
import { TidemarkError } from '../../core/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import { WorkerPort } from './worker-port.ts';

/** Long enough for a transcript of hundreds of megabytes, short enough to notice a thread that hangs. */
const WORK_TIMEOUT_MS = 120_000;
/** A thread that runs JavaScript ends at once when it is told to. */
const END_MS = 5000;
/** Stores are closed in milliseconds unless a long import holds them; that one is safe to cut short. */
const CLOSE_MS = 1000;

export interface WorkerPoolOptions {
  /** The program of both threads. */
  readonly file: string;
  readonly home: string;
  readonly log: Log;
  /** What a thread tells without being asked. */
  /** How long the writer may read one transcript of the sweep without progress. Unlimited where none is given. */
  readonly readLimitMs?: number;
  /** Called when it took longer. */
  readonly onStuck?: () => void;
  readonly onNotice: (name: string, facts: Readonly<Record<string, unknown>>) => void;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #writer: WorkerPort;
  readonly #reader: WorkerPort;
  readonly #progress = new Map<string, (facts: unknown) => void>();
  readonly #notes = new Set<Promise<void>>();
  /** What the writer is at, and how long it may take. */
  readonly #clocks = new Map<string, NodeJS.Timeout>();
  /** Called when the writer begins with an event, by its id. */
  readonly #begun = new Map<string, () => void>();
  #mending: Promise<void> | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#writer = this.#hire('writer');
    this.#reader = this.#hire('reader');
  }

  /** A change, or a question only the writer can answer; 0 waits as long as it takes. */
  write<T>(method: string, args: unknown, timeoutMs = WORK_TIMEOUT_MS): Promise<T> {
    return this.#writer.call<T>(method, args, timeoutMs);
  }

  /**
   * Has one event processed. Its time runs from when the writer begins with it, not while a long exclusive task holds the
   * stores, and again from each part of a transcript that was kept. Throws `event-hung` after `limitMs`; the writer goes on with it until `replaceWriter`.
   */
  async process<T>(event: { readonly id: string }, hurried: boolean, limitMs: number): Promise<T> {
    const over = new Promise<never>((_, reject) => {
      this.#begun.set(event.id, () => {
        this.#startClock(event.id, limitMs, () => {
          reject(new TidemarkError('event-hung', `processing took longer than ${limitMs} ms`));
        });
      });
    });
    try {
      return await Promise.race([this.write<T>('process', { event, hurried }, 0), over]);
    } finally {
      this.#stopClock(event.id);
      this.#begun.delete(event.id);
    }
  }

  /** Ends the writer's thread, which hangs; the next change starts another. False when it cannot be ended. */
  replaceWriter(): Promise<boolean> {
    return this.#writer.replace(END_MS);
  }

  /** A change nobody waits for. */
  note(method: string, args: unknown): void {
    const noted = this.write<void>(method, args, 0)
      .catch((error: unknown) => this.#options.log.warn(`${method} not noted`, factsOf(error)))
      .finally(() => this.#notes.delete(noted));
    this.#notes.add(noted);
  }

  /** Resolves when everything that was to be noted so far is. */
  async noted(): Promise<void> {
    await Promise.all(this.#notes);
  }

  /** A long change that tells how far it is and can be called off. */
  async work<T>(
    method: string,
    args: object,
    progress: (facts: unknown) => void,
    signal: AbortSignal,
  ): Promise<T> {
    const ticket = `${method}-${performance.now()}`;
    this.#progress.set(ticket, progress);
    const cancel = () => this.note('cancel', { ticket });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.write<T>(method, { ...args, ticket }, 0);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#progress.delete(ticket);
    }
  }

  async read<T>(method: string, args: unknown, timeoutMs = WORK_TIMEOUT_MS): Promise<T> {
    const stopAt = performance.now() + timeoutMs;
    const left = () => Math.max(1, stopAt - performance.now());
    try {
      return await this.#reader.call<T>(method, args, timeoutMs);
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      if (error.code === 'index-corrupt') {
        const mending = this.#mendIndex(error.message);
        // A hook does not wait for that.
        if (timeoutMs < WORK_TIMEOUT_MS) throw error;
        await mending;
      } else if (error.code !== 'index-missing' && error.code !== 'index-version') throw error;
      // Another version: the writer is about to rebuild the index, or has just begun to create it.
    }
    // Just made or being built anew: the writer is ready when it is whole.
    await this.write('ready', {}, left()).catch(stillBuilding);
    return this.#reader.call<T>(method, args, left());
  }

  async dismiss(): Promise<void> {
    this.#stopClocks();
    // The last to close an index brings its log into the file, so the one who may write has to be last.
    await this.#reader.stop();
    await this.write('close', {}, CLOSE_MS).catch(() => {});
    await this.#writer.stop();
  }

  #mendIndex(why: string): Promise<void> {
    this.#mending ??= this.write<void>('mend', { why }, 0)
      .catch((error: unknown) => this.#options.log.error('index not mended', factsOf(error)))
      .finally(() => (this.#mending = undefined));
    return this.#mending;
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

  #hire(role: 'writer' | 'reader'): WorkerPort {
    const { file, home, log } = this.#options;
    return new WorkerPort({
      file,
      data: { role, home },
      onNotice: (name, facts) => this.#noticed(name, facts as Record<string, unknown>),
      onDeath: (error) => {
        if (role === 'writer') this.#stopClocks();
        log.error(`${role} died`, factsOf(error));
      },
    });
  }

  #noticed(name: string, facts: Readonly<Record<string, unknown>>): void {
    if (name === 'progressed') {
      for (const clock of this.#clocks.values()) clock.refresh();
      return;
    }
    const { readLimitMs, onStuck } = this.#options;
    if (name === 'reading') {
      if (readLimitMs && onStuck) this.#startClock(`read ${String(facts['path'])}`, readLimitMs, onStuck);
      return;
    }
    if (name === 'read') return this.#stopClock(`read ${String(facts['path'])}`);
    if (name === 'begun') return this.#begun.get(String(facts['id']))?.();
    if (name !== 'progress') return this.#options.onNotice(name, facts);
    const { ticket, ...rest } = facts;
    this.#progress.get(String(ticket))?.(rest);
  }
}

/** Who waited in vain is told what for. */
function stillBuilding(error: unknown): never {
  if (!(error instanceof TidemarkError) || error.code !== 'timed-out') throw error;
  throw new TidemarkError('timed-out', 'the index is still being built', {
    hint: 'It goes on by itself; try again in a minute. How it goes: tidemark logs',
  });
}
