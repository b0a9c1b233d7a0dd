/**
 * The small model, on the main thread, which owns its process: answers the writer's calls in the background, at most
 * half of the time, and reads the memories of a prompt at once. Without a model the rules and the gate decide alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../core/index.ts';
import type { SmallModel, SmallModelChoice } from '../../models/index.ts';
import type { Read, ToRead } from '../../recall/index.ts';
import type { Handlers, MainAnswers, SmallModelFound } from '../api/table.ts';

/** Reading memories for a prompt takes no longer than this, after its vector. */
export const READ_MS = 100;
/**
 * An input takes tens of milliseconds; a busy machine may take long, and the model loads first. Shorter than the time
 * after which a writer counts as hung.
 */
const INPUT_TIMEOUT_MS = 90_000;

export interface SmallClientOptions {
  readonly choose: () => SmallModelChoice;
  /** Called before and after each input that the writer asks about: each has its own time. */
  readonly onStep?: () => void;
  /** Waits. Only tests change it. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class SmallClient {
  readonly #options: SmallClientOptions;
  readonly #stopping = new AbortController();
  #choice: SmallModelChoice | undefined;
  /** The background work may go on from then. */
  #restsUntil = 0;

  constructor(options: SmallClientOptions) {
    this.#options = options;
  }

  /** Handlers of the writer's calls. */
  get answers(): Handlers<MainAnswers> {
    return {
      'small.model': () => this.found(),
      'small.keep': ({ inputs }, { signal }) =>
        this.#eachOf(inputs, signal, (model, input, limit) => model.keep([input], limit)),
      'small.relate': ({ inputs }, { signal }) =>
        this.#eachOf(inputs, signal, (model, input, limit) => model.relate([input], limit)),
    };
  }

  found(): SmallModelFound {
    const choice = this.#choose();
    return choice.kind === 'model' ? { kind: 'model', version: choice.model.version } : choice;
  }

  /**
   * Returns the log odds that each memory helps with the prompt, of those that were read in time. One at a time, the
   * first first, so that a slow machine reads at least some.
   */
  async read(memories: readonly ToRead[], withinMs: number): Promise<Read> {
    const read = new Map<string, number>();
    const choice = this.#choose();
    if (choice.kind === 'none' || withinMs < 1) return read;
    try {
      // A fraction of a millisecond is refused.
      const limit = AbortSignal.timeout(Math.floor(withinMs));
      const signal = AbortSignal.any([this.#stopping.signal, limit]);
      for (const { id, prompt, text } of memories) {
        const [odds] = await choice.model.read([{ a: prompt, b: text }], signal);
        if (odds !== undefined) read.set(id, odds);
      }
    } catch {
      // Late or broken: the gate decides alone about the others. The background work reports what is broken.
    }
    return read;
  }

  /** Loads the model for a session that begins. */
  warm(): void {
    const choice = this.#choose();
    if (choice.kind === 'model') choice.model.warm();
  }

  /** Settings have changed. */
  async reload(): Promise<void> {
    const before = this.#choice;
    this.#choice = undefined;
    if (before?.kind === 'model') await before.model.close();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.reload();
  }

  /** Asks for one input at a time, so that a prompt in between waits for one only. */
  async #eachOf<I, T>(
    inputs: readonly I[],
    asked: AbortSignal,
    ask: (model: SmallModel, input: I, signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const { pause = waited, onStep = () => {} } = this.#options;
    const stops = [asked, this.#stopping.signal];
    const answers: T[] = [];
    while (answers.length < inputs.length) {
      const stop = AbortSignal.any(stops);
      await pause(this.#restsUntil - performance.now(), stop);
      stop.throwIfAborted();
      const choice = this.#choose();
      if (choice.kind === 'none') throw new TidemarkError('no-model', choice.why, { hint: choice.next });
      onStep();
      const began = performance.now();
      const signal = AbortSignal.any([...stops, AbortSignal.timeout(INPUT_TIMEOUT_MS)]);
      try {
        const [answer] = await ask(choice.model, inputs[answers.length] as I, signal); // one of those left
        answers.push(answer as T); // the model gives one answer per input
      } catch (error) {
        // Closed because settings have changed: asked again, because the turn has not failed.
        if (choice === this.#choice || stop.aborted) throw error;
        continue;
      } finally {
        onStep();
      }
      // Half of one core at most: the user works on this machine.
      const ended = performance.now();
      this.#restsUntil = ended + (ended - began);
    }
    return answers;
  }

  /** Looked up again while there is none. */
  #choose(): SmallModelChoice {
    if (this.#stopping.signal.aborted) return { kind: 'none', why: 'the daemon stops', next: '' };
    if (this.#choice?.kind !== 'model') this.#choice = this.#options.choose();
    return this.#choice;
  }
}

async function waited(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal });
}
