/**
 * Calls between two threads, in both directions. Each call has an id, a time-out and at most one answer. Only code,
 * message and hint of an error cross to the other thread.
 */
import { given, TidemarkError } from '../../core/index.ts';
import type { CallMap, Handlers } from '../api/table.ts';

export type Message =
  | { readonly call: number; readonly name: string; readonly args: unknown }
  | { readonly cancel: number }
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly progress: unknown }
  | {
      readonly call: number;
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
    };

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

/** One thread's end: makes the calls `Out`, and answers those of the other thread with the handlers. */
export class Calls<Out extends CallMap, In extends CallMap> {
  readonly #post: (message: Message) => void;
  readonly #handlers: Handlers<In>;
  readonly #pending = new Map<number, Pending>();
  readonly #running = new Map<number, AbortController>();
  #next = 1;

  constructor(post: (message: Message) => void, handlers: Handlers<In>) {
    this.#post = post;
    this.#handlers = handlers;
  }

  /** Whether a call waits for its answer. */
  get busy(): boolean {
    return this.#pending.size > 0;
  }

  /** `signal` asks the handler to stop; its answer is still awaited. */
  async call<N extends keyof Out & string>(
    name: N,
    args: Out[N]['args'],
    { timeoutMs, progress, signal }: CallOptions<Out[N]['progress']>,
  ): Promise<Out[N]['result']> {
    const call = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<Out[N]['result']>();
    const tooLate = () => reject(new TidemarkError('timed-out', `${name} took longer than ${timeoutMs} ms`));
    const timer = timeoutMs > 0 ? setTimeout(tooLate, timeoutMs) : undefined;
    const cancel = () => this.#post({ cancel: call });
    this.#pending.set(call, { resolve, reject, progress: progress ?? (() => {}) });
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      this.#post({ call, name, args }); // throws on arguments that cannot be cloned
      if (signal?.aborted) cancel();
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      this.#pending.delete(call);
    }
  }

  receive(message: Message): void {
    if ('cancel' in message) return this.#running.get(message.cancel)?.abort();
    if ('name' in message) return void this.#answer(message);
    const pending = this.#pending.get(message.call);
    if ('progress' in message) return pending?.progress(message.progress);
    if ('value' in message) return pending?.resolve(message.value);
    const { code, message: text, hint } = message.error;
    pending?.reject(new TidemarkError(code, text, given({ hint })));
  }

  /** Stops the handlers: the other thread is gone and reads no answer. */
  abandon(): void {
    for (const running of this.#running.values()) running.abort();
  }

  /** Rejects every call that waits. */
  fail(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
  }

  async #answer({ call, name, args }: Extract<Message, { name: string }>): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(call, cancel);
    try {
      const handler = this.#handlers[name];
      if (!handler) throw new TidemarkError('unknown-call', `no such call: ${name}`);
      const progress = (facts: unknown) => this.#post({ call, progress: facts });
      this.#post({ call, value: await handler(args, { progress, signal: cancel.signal }) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const hint = error instanceof TidemarkError ? error.hint : undefined;
      this.#post({ call, error: { code: codeOf(error), message, ...given({ hint }) } });
    } finally {
      this.#running.delete(call);
    }
  }
}

/** Errors of the machine get their own codes. */
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
