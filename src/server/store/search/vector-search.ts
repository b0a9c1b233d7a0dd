/**
 * The server's embedding model: computes the vector of a query if it is ready in time, and in the background a vector for
 * each pushed text, under the rights of the member who pushed it. Search works by words if this fails.
 */
import type { QueryVector } from '../../../database/index.ts';
import type { Embedder } from '../../../models/index.ts';
import type { TeamStore } from '../store.ts';
import type { Caller } from '../work.ts';
import { adoptModel, putVectors, waitingTexts } from './vectors.ts';

/** The limit for the vector of a query, because its search waits for it. */
const QUERY_MS = 150;
/**
 * Queries at the model at a time, each taking about 20 ms. A longer queue would make all of them late, and the model busy
 * with vectors that no one waits for any more.
 */
const MOST_QUERIES = 6;
/** The first lines of a query say what it is about. */
const QUERY_CHARS = 2000;
/** Small, so that a query in between does not wait long. */
const BATCH = 8;
const EMBED_TIMEOUT_MS = 120_000;
/** Vectors of the last queries: the next page, another filter and a repeated prompt have the same text. 1.5 MB at most. */
const KEPT_QUERIES = 1000;

export class VectorSearch {
  readonly #embedder: Embedder;
  readonly #store: Pick<TeamStore, 'transaction' | 'vectors'>;
  readonly #failed: (error: unknown) => void;
  readonly #due = new Map<string, Caller>();
  readonly #adopted = new Set<string>();
  readonly #stopping = new AbortController();
  /** The least recently used first. */
  readonly #queries = new Map<string, Float32Array>();
  #running: Promise<void> | undefined;
  #underWay = 0;
  #inTime = 0;
  #late = 0;

  constructor(
    embedder: Embedder,
    store: Pick<TeamStore, 'transaction' | 'vectors'>,
    failed: (error: unknown) => void,
  ) {
    this.#embedder = embedder;
    this.#store = store;
    this.#failed = failed;
    embedder.warm();
  }

  /** Queries whose vector was there in time, and queries that were searched by words alone. */
  get counts(): { readonly inTime: number; readonly late: number } {
    return { inTime: this.#inTime, late: this.#late };
  }

  async vectorOf(query: string): Promise<QueryVector | undefined> {
    const vector = await this.#vectorOf(query.slice(0, QUERY_CHARS));
    if (vector) this.#inTime++;
    else this.#late++;
    return vector && { model: this.#embedder.name, vector };
  }

  async #vectorOf(text: string): Promise<Float32Array | undefined> {
    const known = this.#queries.get(text);
    if (known) return this.#kept(text, known);
    if (this.#underWay >= MOST_QUERIES) return undefined;
    this.#underWay++;
    const signal = AbortSignal.any([AbortSignal.timeout(QUERY_MS), this.#stopping.signal]);
    try {
      const [vector] = await this.#embedder.embed([text], signal);
      return vector && this.#kept(text, vector);
    } catch {
      return undefined;
    } finally {
      this.#underWay--;
    }
  }

  #kept(text: string, vector: Float32Array): Float32Array {
    this.#queries.delete(text);
    this.#queries.set(text, vector);
    const [oldest] = this.#queries.keys();
    if (this.#queries.size > KEPT_QUERIES && oldest !== undefined) this.#queries.delete(oldest);
    return vector;
  }

  /** Called after each transaction that may have changed a text. */
  wake(caller: Caller): void {
    if (this.#stopping.signal.aborted) return;
    this.#due.set(keyOf(caller), caller);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#embedder.close();
  }

  async #run(): Promise<void> {
    for (;;) {
      const [caller] = this.#due.values();
      if (!caller || this.#stopping.signal.aborted) return;
      this.#due.delete(keyOf(caller));
      try {
        await this.#embedAll(caller);
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#failed(error);
      }
    }
  }

  async #embedAll(caller: Caller): Promise<void> {
    const [{ name: model }, store, mode] = [this.#embedder, this.#store, this.#store.vectors];
    if (!this.#adopted.has(keyOf(caller)))
      await store.transaction(caller, (work) => adoptModel(work, model, mode), { unnoticed: true });
    this.#adopted.add(keyOf(caller));
    while (!this.#stopping.signal.aborted) {
      const waiting = await store.transaction(caller, (work) => waitingTexts(work, BATCH), {
        readOnly: true,
      });
      if (waiting.length === 0) return;
      const signal = AbortSignal.any([AbortSignal.timeout(EMBED_TIMEOUT_MS), this.#stopping.signal]);
      const vectors = await this.#embedder.embed(
        waiting.map(({ text }) => text),
        signal,
      );
      const made = waiting.flatMap((one, i) => {
        const vector = vectors[i];
        return vector ? [{ ...one, vector }] : [];
      });
      await store.transaction(caller, (work) => putVectors(work, { model, mode }, made), { unnoticed: true });
    }
  }
}

function keyOf({ team, member }: Caller): string {
  return `${team} ${member}`;
}
