/**
 * A process that runs one model. It starts with the first question and exits when idle: it takes 300 MB of
 * memory, and a crash must not affect the daemon. All users of one model in this thread share one process.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { TidemarkError } from '../core/index.ts';
import type { Question, Reply, Request } from './_messages.ts';

export interface ProcessOptions {
  /** The embedder's program, and its arguments (main.ts). */
  readonly program: string;
  readonly args: readonly string[];
  readonly idleMs?: number;
}

/** Long enough for a user who reads an answer and asks again. */
const IDLE_MS = 3 * 60_000;
/** Half a second on an idle machine; a busy one may take long. */
const LOAD_MS = 60_000;

/** One thread that compiles WebAssembly: more of them keep more memory (docs/research/small-model.md). */
const EXEC_ARGV = ['--no-warnings', '--v8-pool-size=1'];

interface Waiting {
  readonly resolve: (rows: readonly Float32Array[]) => void;
  readonly reject: (error: Error) => void;
}

/** One user's access to the process. */
export interface ProcessHandle {
  ask(question: Question, isUrgent: boolean, signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Starts the process if it does not run, and asks these questions in the background. */
  warm(questions?: readonly Question[]): void;
  /** Ends the process if no other user has it open. */
  close(): Promise<void>;
}

const open = new Map<string, { readonly shared: ModelProcess; users: number }>();

export function openProcess(options: ProcessOptions): ProcessHandle {
  const key = [options.program, ...options.args].join('\0');
  const entry = open.get(key) ?? { shared: new ModelProcess(options), users: 0 };
  open.set(key, entry);
  entry.users++;
  const closing = new AbortController();
  return {
    ask: (question, isUrgent, signal) => entry.shared.ask(question, isUrgent, [signal, closing.signal]),
    warm: (questions) => entry.shared.warm(questions),
    close: async () => {
      if (!closing.signal.aborted) entry.users--;
      closing.abort(stoppedError('it was closed'));
      if (entry.users > 0) return;
      if (open.get(key) === entry) open.delete(key);
      await entry.shared.close();
    },
  };
}

class ModelProcess {
  readonly #options: ProcessOptions;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #loading: NodeJS.Timeout | undefined;
  #next = 1;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** `signals`: not joined by `AbortSignal.any`, which keeps memory for each signal that is joined twice. */
  ask(
    question: Question,
    isUrgent: boolean,
    signals: readonly AbortSignal[],
  ): Promise<readonly Float32Array[]> {
    const aborted = signals.find((signal) => signal.aborted);
    if (aborted) return Promise.reject(abortedError(aborted));
    const child = this.#ensure();
    const id = this.#next++;
    const send = (request: Request): void => void child.send(request);
    return new Promise<readonly Float32Array[]>((resolve, reject) => {
      const stop = ({ target }: Event): void => {
        const waiting = this.#settle(id);
        if (!waiting) return;
        if (child.connected) send({ cancel: id });
        waiting.reject(abortedError(target as AbortSignal)); // it listens to nothing else
        this.#rest();
      };
      for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
      const done = (): void => signals.forEach((signal) => signal.removeEventListener('abort', stop));
      this.#waiting.set(id, {
        resolve: (rows) => (done(), resolve(rows)),
        reject: (error) => (done(), reject(error)),
      });
      send({ ...question, id, isUrgent });
    });
  }

  warm(questions: readonly Question[] = []): void {
    const isNew = this.#child === undefined;
    try {
      this.#ensure();
    } catch {
      return; // no memory for a process, for example; the next question reports it
    }
    this.#rest();
    if (isNew)
      for (const question of questions)
        void this.ask(question, false, [AbortSignal.timeout(LOAD_MS)]).catch(() => {}); // the next question reports it
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#dismiss('it was closed');
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  }

  #ensure(): ChildProcess {
    clearTimeout(this.#idle);
    if (this.#child) return this.#child;
    const { program, args } = this.#options;
    const child = fork(program, args, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: EXEC_ARGV,
    });
    this.#child = child;
    this.#loading = setTimeout(() => this.#lost(child, 'the model did not load in time'), LOAD_MS);
    child.on('message', (reply: Reply) => this.#receive(child, reply));
    child.on('error', (error) => this.#lost(child, error.message));
    child.on('exit', (code, signal) => this.#lost(child, `it exited with ${signal ?? code}`));
    return child;
  }

  #receive(child: ChildProcess, reply: Reply): void {
    if (child !== this.#child) return;
    if ('ready' in reply) return clearTimeout(this.#loading);
    if ('failed' in reply) return this.#lost(child, reply.failed);
    const waiting = this.#settle(reply.id);
    if ('rows' in reply) waiting?.resolve(reply.rows);
    else waiting?.reject(new TidemarkError('embedder-failed', reply.error));
    this.#rest();
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Starts the idle timer if no call is pending. */
  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => this.#dismiss('idle'), this.#options.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  #lost(child: ChildProcess, why: string): void {
    if (child === this.#child) this.#dismiss(why);
  }

  #dismiss(why: string): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#loading);
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGKILL'); // it has no state that could be lost
    for (const { reject } of this.#waiting.values()) reject(stoppedError(why));
    this.#waiting.clear();
  }
}

function stoppedError(why: string): TidemarkError {
  return new TidemarkError('embedder-died', `the embedder stopped: ${why}`, { hint: 'Run: tidemark doctor' });
}

function abortedError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new TidemarkError('timed-out', 'no answer in time');
}
