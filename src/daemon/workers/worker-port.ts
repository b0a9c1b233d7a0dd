/**
 * A worker thread and its calls: those of the main thread into it, and its own to the main thread. When a worker dies,
 * the calls into it fail at once, its own are stopped, and the next call starts another worker.
 */
import { Worker, parentPort } from 'node:worker_threads';
import { TidemarkError } from '../../core/index.ts';
import type { CallMap, Handlers, MainAnswers } from '../api/table.ts';
import { Calls, type CallOptions, type Message } from './_calls.ts';

export type { CallOptions } from './_calls.ts';

/**
 * Size of the heap for short-lived objects. By default V8 lets it grow to over 100 MB in each thread during an import,
 * nearly all of it unused.
 */
const YOUNG_MB = 6;

/** After this time the functions that the first calls need are compiled, and worth storing. */
const STORE_COMPILED_MS = 2000;
/** Loads the program with the compiled form that an earlier thread stored, which takes half the time. */
const LOADER = `
const { workerData } = require('node:worker_threads');
const { enableCompileCache, flushCompileCache } = require('node:module');
if (workerData.compiled && enableCompileCache && flushCompileCache) {
  enableCompileCache(workerData.compiled);
  setTimeout(flushCompileCache, ${STORE_COMPILED_MS}).unref();
}
require(workerData.file);`;

type FromWorker = Message | { readonly notice: string; readonly facts: Facts };

export type Facts = Readonly<Record<string, unknown>>;

export interface WorkerOptions {
  readonly file: string;
  readonly data: Facts;
  /** Answers the calls of the worker. */
  readonly answers: Handlers<MainAnswers>;
  readonly onNotice: (notice: string, facts: Facts) => void;
  readonly onDeath: (error: Error) => void;
}

/** The main thread's side of one worker that serves the calls `C`. */
export class WorkerPort<C extends CallMap> {
  readonly #options: WorkerOptions;
  #worker: Worker | undefined;
  /** Of this worker only: a late answer must not reach the next one. */
  #calls: Calls<C, MainAnswers> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Starts the worker where none runs. */
  warm(): void {
    this.#ensure();
  }

  /** Starts the worker where none runs. `signal` asks the handler to stop; its answer is still awaited. */
  call<N extends keyof C & string>(
    name: N,
    args: C[N]['args'],
    options: CallOptions<C[N]['progress']>,
  ): Promise<C[N]['result']> {
    return this.#ensure().call(name, args, options);
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** Whether a call waits for its answer. */
  get busy(): boolean {
    return this.#calls?.busy ?? false;
  }

  /** Ends the worker, as `replace` does. */
  async stop(graceMs: number): Promise<boolean> {
    const ended = this.replace(graceMs);
    this.#worker = undefined;
    return ended;
  }

  /**
   * Ends a worker that hangs; the next call starts another. Returns false when it does not end within `graceMs`: a
   * thread that waits for the operating system ends only with the process.
   */
  async replace(graceMs: number): Promise<boolean> {
    const worker = this.#worker;
    if (!worker) return true;
    let timer: NodeJS.Timeout | undefined;
    const ended = await Promise.race([
      worker.terminate().then(() => true),
      new Promise<boolean>((resolve) => {
        timer = setTimeout(resolve, graceMs, false);
      }),
    ]);
    clearTimeout(timer);
    return ended;
  }

  #ensure(): Calls<C, MainAnswers> {
    if (this.#worker && this.#calls) return this.#calls;
    const { file, data, answers } = this.#options;
    const worker = new Worker(LOADER, {
      eval: true,
      workerData: { ...data, file },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const calls = new Calls<C, MainAnswers>((message) => worker.postMessage(message), answers);
    const died = (error: Error) => {
      calls.abandon();
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#options.onDeath(error);
      calls.fail(new TidemarkError('worker-died', 'the worker died', { cause: error }));
    };
    worker.on('message', (message: FromWorker) => {
      if ('notice' in message) this.#options.onNotice(message.notice, message.facts);
      else calls.receive(message);
    });
    worker.on('error', died);
    worker.on('exit', (code) => died(new Error(`worker left with code ${code}`)));
    this.#worker = worker;
    this.#calls = calls;
    return calls;
  }
}

let toMain: Calls<MainAnswers, CallMap> | undefined;

/** The worker's side: answers each call with the handler of that name. */
export function serveCalls<C extends CallMap>(handlers: Handlers<C>): void {
  const port = parentPort;
  if (!port) throw new Error('not a worker thread');
  const calls = new Calls<MainAnswers, C>((message) => port.postMessage(message), handlers);
  port.on('message', (message: Message) => calls.receive(message));
  toMain = calls as unknown as typeof toMain; // its own calls are the same whatever it serves
}

/** Calls the main thread from a worker that serves calls. */
export async function callMain<N extends keyof MainAnswers & string>(
  name: N,
  args: MainAnswers[N]['args'],
  options: CallOptions<never>,
): Promise<MainAnswers[N]['result']> {
  if (!toMain) throw new Error('not a worker thread that serves calls');
  return toMain.call(name, args, options);
}

/** Sends the main thread a message that answers no call. */
export function notice(name: string, facts: object): void {
  parentPort?.postMessage({ notice: name, facts: { ...facts } } satisfies FromWorker);
}
