/**
 * Makes vectors: for a question, when one is ready in time, and in the background for everything without one. When it
 * fails, search works by words alone.
 */
import { loadConfig } from '../../config/index.ts';
import { given, type Places } from '../../core/index.ts';
import type { Embedded, QueryVector, Tier, VectorCount } from '../../database/index.ts';
import { chooseEmbedder, type EmbedderChoice, type EmbedderSurroundings } from '../../models/index.ts';
import { redact } from '../../privacy/index.ts';
import { factsOf, type Log } from '../lifecycle/log.ts';
import type { WorkerPool } from './worker-pool.ts';

/** A prompt waits no longer than this for its vector. */
export const PROMPT_VECTOR_MS = 60;
/** A user who searches waits for the model to load. */
export const SEARCH_VECTOR_MS = 2000;

/** The first lines are enough for a question. */
const QUESTION_CHARS = 2000;
/** So few that a prompt in between does not wait long. */
const BATCH = 4;
const EMBED_TIMEOUT_MS = 120_000;
/** Pause of the background work after a failure: a server may be down, a model broken. */
const BACKOFF_MS = 5 * 60_000;

export interface EmbedClientOptions extends Omit<EmbedderSurroundings, 'places'> {
  readonly places: Places;
  readonly log: Log;
  /** The writer stores the vectors. */
  readonly write: WorkerPool['write'];
}

export interface EmbedHealth {
  /** Driver and model; null when search is by words alone. */
  readonly embedder: string | null;
  readonly why?: string;
  readonly next?: string;
  readonly counts: Readonly<Record<Tier, VectorCount>>;
  readonly working: boolean;
  /** The last failure, until the next success. */
  readonly trouble?: string;
}

export class EmbedClient {
  readonly #options: EmbedClientOptions;
  readonly #stopping = new AbortController();
  #choice: EmbedderChoice | undefined;
  #loop: Promise<void> | undefined;
  #again = false;
  #pausedUntil = 0;
  #trouble: string | undefined;

  constructor(options: EmbedClientOptions) {
    this.#options = options;
  }

  /** Whether vectors are being made; the daemon runs as long. */
  get busy(): boolean {
    return this.#loop !== undefined;
  }

  async ask(text: string, withinMs: number): Promise<QueryVector | undefined> {
    const choice = this.#choose();
    if (choice.kind === 'none' || text.trim() === '') return undefined;
    const { embedder } = choice;
    const question = redact(text.slice(0, QUESTION_CHARS)).text;
    try {
      const [vector] = await embedder.embed([question], AbortSignal.timeout(withinMs));
      return vector && { model: embedder.name, vector };
    } catch {
      return undefined; // late or broken; the background reports what is broken
    }
  }

  /** Loads the model for a session that begins. Returns whether there is an embedder. */
  warm(): boolean {
    const choice = this.#choose();
    if (choice.kind === 'none') return false;
    choice.embedder.warm();
    return true;
  }

  /** Starts the background work where something may need a vector. */
  wake(): void {
    this.#again = true;
    if (this.#loop || this.#stopping.signal.aborted || Date.now() < this.#pausedUntil) return;
    const choice = this.#choose();
    if (choice.kind === 'none') return;
    this.#loop = this.#work(choice)
      .catch((error: unknown) => {
        // An embedder that was closed for another one has not failed.
        if (choice === this.#choice) this.#failed(error);
      })
      .finally(() => {
        this.#loop = undefined;
        // Woken after the last look and before the end.
        if (this.#again) this.wake();
      });
  }

  /** Settings or models have changed. */
  async reload(): Promise<void> {
    const before = this.#choice;
    this.#choice = undefined;
    this.#pausedUntil = 0;
    this.#trouble = undefined;
    if (before?.kind === 'embedder') await before.embedder.close();
    await this.#loop;
    this.wake();
  }

  async health(): Promise<EmbedHealth> {
    const choice = this.#choose();
    const counts = await this.#options.write('embed.counts', {});
    return {
      embedder: choice.kind === 'embedder' ? choice.embedder.name : null,
      ...(choice.kind === 'none' ? { why: choice.why, next: choice.next } : {}),
      counts,
      working: this.busy,
      ...given({ trouble: this.#trouble }),
    };
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    if (this.#choice?.kind === 'embedder') await this.#choice.embedder.close();
    await this.#loop;
  }

  async #work(choice: Extract<EmbedderChoice, { kind: 'embedder' }>): Promise<void> {
    const { write, log } = this.#options;
    const { embedder } = choice;
    const { changed } = await write('embed.model', { model: embedder.name });
    if (changed) log.info('vectors are rebuilt', { embedder: embedder.name });
    let made = 0;
    while (this.#again && choice === this.#choice && !this.#stopping.signal.aborted) {
      this.#again = false;
      for (;;) {
        const waiting = await write('embed.wanted', { limit: BATCH });
        if (waiting.length === 0 || choice !== this.#choice || this.#stopping.signal.aborted) break;
        const began = performance.now();
        const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(EMBED_TIMEOUT_MS)]);
        const vectors = await embedder.embed(
          waiting.map(({ text }) => text),
          signal,
        );
        const embedded = waiting.flatMap(({ tier, row, hash }, i): readonly Embedded[] =>
          vectors[i] ? [{ tier, row, hash, vector: vectors[i] }] : [],
        );
        await write('embed.put', { model: embedder.name, embedded });
        made += embedded.length;
        this.#trouble = undefined;
        // Half of one core at most: the user works on this machine.
        await this.#pause(performance.now() - began);
      }
    }
    if (made > 0) log.info('vectors made', { embedder: embedder.name, made });
  }

  #failed(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.#trouble = error instanceof Error ? error.message : String(error);
    this.#pausedUntil = Date.now() + BACKOFF_MS;
    this.#options.log.warn('no vectors made', factsOf(error));
  }

  /** Looked up again while there is none: a model may have been installed. */
  #choose(): EmbedderChoice {
    if (this.#choice?.kind === 'embedder') return this.#choice;
    const { places, env } = this.#options;
    this.#choice = chooseEmbedder(loadConfig({ places, env }).values, this.#options);
    return this.#choice;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#stopping.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#stopping.signal.addEventListener('abort', done);
    });
  }
}
