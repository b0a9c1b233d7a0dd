/**
 * A model in the server's hand: a vector for a question when one comes in time, and in the background one for everything
 * that was pushed, each made under the rights of who pushed it. What fails here costs only nearness in meaning.
 */
import type { QueryVector } from '../../../database/index.ts';
import type { Embedder } from '../../../models/index.ts';
import type { Caller } from '../work.ts';
import type { WaitingText } from './vectors.ts';

/** What the background does in the database; each call is a transaction of its own. */
export interface VectorWork {
  adopt(caller: Caller, model: string): Promise<void>;
  waiting(caller: Caller, limit: number): Promise<readonly WaitingText[]>;
  keep(
    caller: Caller,
    model: string,
    made: readonly (WaitingText & { readonly vector: Float32Array })[],
  ): Promise<void>;
}

/** Words answer alone where the vector of a question takes longer: a connection waits meanwhile. */
const QUESTION_MS = 150;
/** What a question says, it says in its first lines. */
const QUESTION_CHARS = 2000;
/** So few that a question that comes in between does not wait long. */
const AT_ONCE = 8;
const EMBED_TIMEOUT_MS = 120_000;

export class VectorSearch {
  readonly #embedder: Embedder;
  readonly #work: VectorWork;
  readonly #failed: (error: unknown) => void;
  readonly #due = new Map<string, Caller>();
  readonly #adopted = new Set<string>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(embedder: Embedder, work: VectorWork, failed: (error: unknown) => void) {
    this.#embedder = embedder;
    this.#work = work;
    this.#failed = failed;
    embedder.warm();
  }

  async vectorOf(question: string): Promise<QueryVector | undefined> {
    const text = question.slice(0, QUESTION_CHARS);
    const signal = AbortSignal.any([AbortSignal.timeout(QUESTION_MS), this.#stopping.signal]);
    try {
      const [vector] = await this.#embedder.embed([text], signal);
      return vector && { model: this.#embedder.name, vector };
    } catch {
      return undefined;
    }
  }

  /** This caller may have changed something. */
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
    const { name } = this.#embedder;
    if (!this.#adopted.has(keyOf(caller))) await this.#work.adopt(caller, name);
    this.#adopted.add(keyOf(caller));
    while (!this.#stopping.signal.aborted) {
      const waiting = await this.#work.waiting(caller, AT_ONCE);
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
      await this.#work.keep(caller, name, made);
    }
  }
}

function keyOf({ team, member }: Caller): string {
  return `${team} ${member}`;
}
