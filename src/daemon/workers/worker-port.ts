/**
 * Calls into a worker thread and back: each call has an id, a time-out and at most one answer; a worker that dies
 * fails its calls at once and is started again for the next one.
 */
import { Worker, parentPort } from 'node:worker_threads';
import { TidemarkError } from '../../core/index.ts';

/**
 * Room for what is made and dropped at once. Left to itself V8 lets it grow to over 100 MB in each thread during an
 * import, of which next to nothing is in use.
 */
const YOUNG_MB = 24;

interface Call {
  readonly call: number;
  readonly method: string;
  readonly args: unknown;
}

type Answer =
  | { readonly call: number; readonly value: unknown }
  | {
      readonly call: number;
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
    }
  | { readonly notice: string; readonly facts: unknown };

export type Handlers = Readonly<Record<string, (args: never) => unknown>>;

export interface WorkerOptions {
  readonly file: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly onNotice: (notice: string, facts: unknown) => void;
  readonly onDeath: (error: Error) => void;
}

/** The caller's side. */
export class WorkerPort {
  readonly #options: WorkerOptions;
  #worker: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Asks the worker and waits for the answer, at most `timeoutMs` (0: as long as it takes). */
  call<T>(method: string, args: unknown, timeoutMs: number): Promise<T> {
    const worker = this.#ensure();
    const call = this.#next++;
    return new Promise<T>((resolve, reject) => {
      const timer =
        timeoutMs > 0
          ? setTimeout(() => {
              this.#waiting.delete(call);
              reject(new TidemarkError('timed-out', `${method} took longer than ${timeoutMs} ms`));
            }, timeoutMs)
          : undefined;
      const settle = () => clearTimeout(timer);
      this.#waiting.set(call, {
        resolve: (value) => (settle(), resolve(value as T)),
        reject: (error) => (settle(), reject(error)),
      });
      worker.postMessage({ call, method, args } satisfies Call);
    });
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /**
   * Ends a worker that hangs; the next call starts another. False when it does not end within `graceMs`: a thread that
   * waits for the operating system cannot be ended without the process.
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
    const worker = new Worker(this.#options.file, {
      workerData: this.#options.data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', (error: Error) => this.#lost(worker, error));
    worker.on('exit', (code) => this.#lost(worker, new Error(`worker left with code ${code}`)));
    this.#worker = worker;
    return worker;
  }

  #settle(answer: Answer): void {
    if ('notice' in answer) return this.#options.onNotice(answer.notice, answer.facts);
    const waiting = this.#waiting.get(answer.call);
    this.#waiting.delete(answer.call);
    if ('value' in answer) return waiting?.resolve(answer.value);
    const { code, message, hint } = answer.error;
    waiting?.reject(new TidemarkError(code, message, hint === undefined ? {} : { hint }));
  }

  #lost(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#options.onDeath(error);
    for (const { reject } of this.#waiting.values()) {
      reject(new TidemarkError('worker-died', 'the worker died', { cause: error }));
    }
    this.#waiting.clear();
  }
}

/** The worker's side: answers each call with the handler of that name. */
export function serveCalls(handlers: Handlers): void {
  const port = parentPort;
  if (!port) throw new Error('not a worker thread');
  port.on('message', (message: Call) => {
    void answer(handlers, message).then((reply) => port.postMessage(reply));
  });
}

/** Tells the main thread something it did not ask for. */
export function notice(name: string, facts: unknown): void {
  parentPort?.postMessage({ notice: name, facts } satisfies Answer);
}

async function answer(handlers: Handlers, message: Call): Promise<Answer> {
  try {
    const handler = handlers[message.method];
    if (!handler) throw new TidemarkError('unknown-call', `no such call: ${message.method}`);
    return { call: message.call, value: await handler(message.args as never) };
  } catch (error) {
    const known = error instanceof TidemarkError ? error : undefined;
    const text = error instanceof Error ? error.message : String(error);
    return {
      call: message.call,
      error: { code: codeOf(error), message: text, ...(known?.hint ? { hint: known.hint } : {}) },
    };
  }
}

/** What the machine is at fault for gets a code of its own, since only code and message cross to the other thread. */
const MACHINE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EROFS: 'not-permitted',
};
/** SQLite's numbers of a read-only file, a failed read or write (also of a full disk), and a full disk. */
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
