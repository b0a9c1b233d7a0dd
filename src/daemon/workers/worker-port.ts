/**
 * Calls into a worker thread and back. Each call has an id, a time-out and at most one answer. When a worker dies, its
 * calls fail at once, and the next call starts another worker.
 */
import { Worker, parentPort } from 'node:worker_threads';
import { given, TidemarkError } from '../../core/index.ts';
import type { CallMap, Handlers } from '../api/table.ts';

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

type Request =
  | { readonly call: number; readonly name: string; readonly args: unknown }
  | { readonly cancel: number };

type Reply =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly progress: unknown }
  | {
      readonly call: number;
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
    }
  | { readonly notice: string; readonly facts: Facts };

export type Facts = Readonly<Record<string, unknown>>;

export interface WorkerOptions {
  readonly file: string;
  readonly data: Facts;
  readonly onNotice: (notice: string, facts: Facts) => void;
  readonly onDeath: (error: Error) => void;
}

export interface CallOptions<P> {
  /** 0: no limit. */
  readonly timeoutMs: number;
  readonly progress?: (facts: P) => void;
  readonly signal?: AbortSignal;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly progress: (facts: unknown) => void;
}

/** The main thread's side of one worker that serves the calls `C`. */
export class WorkerPort<C extends CallMap> {
  readonly #options: WorkerOptions;
  #worker: Worker | undefined;
  #next = 1;
  readonly #pending = new Map<number, Pending>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Starts the worker where none runs. */
  warm(): void {
    this.#ensure();
  }

  /** Starts the worker where none runs. `signal` asks the handler to stop; its answer is still awaited. */
  async call<N extends keyof C & string>(
    name: N,
    args: C[N]['args'],
    { timeoutMs, progress, signal }: CallOptions<C[N]['progress']>,
  ): Promise<C[N]['result']> {
    const worker = this.#ensure();
    const call = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<C[N]['result']>();
    const tooLate = () => reject(new TidemarkError('timed-out', `${name} took longer than ${timeoutMs} ms`));
    const timer = timeoutMs > 0 ? setTimeout(tooLate, timeoutMs) : undefined;
    const cancel = () => worker.postMessage({ cancel: call } satisfies Request);
    this.#pending.set(call, { resolve, reject, progress: progress ?? (() => {}) });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      worker.postMessage({ call, name, args } satisfies Request); // throws on arguments that cannot be cloned
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      this.#pending.delete(call);
    }
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** Whether a call waits for its answer. */
  get busy(): boolean {
    return this.#pending.size > 0;
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

  #ensure(): Worker {
    if (this.#worker) return this.#worker;
    const { file, data } = this.#options;
    const worker = new Worker(LOADER, {
      eval: true,
      workerData: { ...data, file },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('message', (reply: Reply) => this.#receive(reply));
    worker.on('error', (error: Error) => this.#died(worker, error));
    worker.on('exit', (code) => this.#died(worker, new Error(`worker left with code ${code}`)));
    this.#worker = worker;
    return worker;
  }

  #receive(reply: Reply): void {
    if ('notice' in reply) return this.#options.onNotice(reply.notice, reply.facts);
    const pending = this.#pending.get(reply.call);
    if ('progress' in reply) return pending?.progress(reply.progress);
    if ('value' in reply) return pending?.resolve(reply.value);
    const { code, message, hint } = reply.error;
    pending?.reject(new TidemarkError(code, message, given({ hint })));
  }

  #died(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#options.onDeath(error);
    for (const { reject } of this.#pending.values())
      reject(new TidemarkError('worker-died', 'the worker died', { cause: error }));
  }
}

/** The worker's side: answers each call with the handler of that name. */
export function serveCalls<C extends CallMap>(handlers: Handlers<C>): void {
  const port = parentPort;
  if (!port) throw new Error('not a worker thread');
  const send = (reply: Reply) => port.postMessage(reply);
  const running = new Map<number, AbortController>();
  port.on('message', async (request: Request) => {
    if ('cancel' in request) return running.get(request.cancel)?.abort();
    const { call, name, args } = request;
    const cancel = new AbortController();
    running.set(call, cancel);
    try {
      const handler = handlers[name];
      if (!handler) throw new TidemarkError('unknown-call', `no such call: ${name}`);
      const progress = (facts: unknown) => send({ call, progress: facts });
      send({ call, value: await handler(args, { progress, signal: cancel.signal }) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const hint = error instanceof TidemarkError ? error.hint : undefined;
      send({ call, error: { code: codeOf(error), message, ...given({ hint }) } });
    } finally {
      running.delete(call);
    }
  });
}

/** Sends the main thread a message that answers no call. */
export function notice(name: string, facts: object): void {
  parentPort?.postMessage({ notice: name, facts: { ...facts } } satisfies Reply);
}

/** Errors of the machine get their own codes, because only code, message and hint cross to the other thread. */
const MACHINE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EROFS: 'not-permitted',
};
/** SQLite's numbers for a read-only file, a failed read or write (also on a full disk), and a full disk. */
const MACHINE_SQLITE_ERRORS: Readonly<Record<number, string>> = {
  8: 'not-permitted',
  10: 'disk-failed',
  13: 'disk-full',
};

function codeOf(error: unknown): string {
  const { cause, code } = error instanceof Error ? (error as { cause?: unknown; code?: unknown }) : {};
  const number = (cause as { errcode?: unknown } | undefined)?.errcode;
  const ofIndex = typeof number === 'number' ? MACHINE_SQLITE_ERRORS[number & 0xff] : undefined;
  if (ofIndex) return ofIndex;
  if (error instanceof TidemarkError) return error.code;
  return (typeof code === 'string' && MACHINE_ERRORS[code]) || 'internal';
}
