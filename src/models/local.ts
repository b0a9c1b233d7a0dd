/**
 * Embeds on this machine, in a separate process that starts with the first text and exits when idle: it takes 400 MB of
 * memory, and a crash must not affect the daemon.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { TidemarkError } from '../core/index.ts';
import type { Reply, Request } from './_messages.ts';
import type { CatalogueModel } from './catalogue.ts';
import type { Embedder } from './embedder.ts';

export interface LocalOptions {
  readonly model: CatalogueModel;
  /** Folder of the models. */
  readonly models: string;
  /** The embedder's program, and the folder of the WebAssembly runtime. */
  readonly program: string;
  readonly runtime: string;
  readonly idleMs?: number;
}

/** Long enough for a user who reads an answer and asks again. */
const IDLE_MS = 3 * 60_000;
/** Half a second on an idle machine; a busy one may take long. */
const LOAD_MS = 60_000;

interface Waiting {
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: Error) => void;
}

export function localEmbedder(options: LocalOptions): Embedder {
  return new LocalEmbedder(options);
}

class LocalEmbedder implements Embedder {
  readonly name: string;
  readonly dimensions: number;
  readonly #options: LocalOptions;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #loading: NodeJS.Timeout | undefined;
  #next = 1;

  constructor(options: LocalOptions) {
    this.#options = options;
    this.name = `local:${options.model.id}`;
    this.dimensions = options.model.dimensions;
  }

  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    if (texts.length === 0) return Promise.resolve([]);
    if (signal.aborted) return Promise.reject(abortedError(signal));
    const child = this.#ensure();
    const id = this.#next++;
    return new Promise<readonly Float32Array[]>((resolve, reject) => {
      const stop = (): void => this.#settle(id)?.reject(abortedError(signal));
      signal.addEventListener('abort', stop, { once: true });
      const done = (): void => signal.removeEventListener('abort', stop);
      this.#waiting.set(id, {
        resolve: (vectors) => (done(), resolve(vectors)),
        reject: (error) => (done(), reject(error)),
      });
      child.send({ id, texts } satisfies Request);
    });
  }

  warm(): void {
    this.#ensure();
    this.#rest();
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#dismiss('the embedder was closed');
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  }

  #ensure(): ChildProcess {
    clearTimeout(this.#idle);
    if (this.#child) return this.#child;
    const { model, models, program, runtime } = this.#options;
    const child = fork(program, [join(models, model.id), runtime, String(model.maxTokens)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--no-warnings'],
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
    if ('vectors' in reply) waiting?.resolve(reply.vectors);
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
    const error = new TidemarkError('embedder-died', `the embedder stopped: ${why}`, {
      hint: 'Run: tidemark doctor',
    });
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function abortedError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new TidemarkError('timed-out', 'no vector in time');
}
