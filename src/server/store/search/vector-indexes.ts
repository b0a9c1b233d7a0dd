/**
 * Builds the vector indexes that large teams need, one after the other, in the background and on a connection of its own.
 * A build that fails is tried again after the next start; searches work without it.
 */
import { withClient, type Address } from '../connect.ts';
import { indexPartition } from './pgvector.ts';

export class VectorIndexes {
  readonly #database: Address;
  readonly #wanted = new Set<string>();
  readonly #stopping = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #failed: (error: unknown) => void = () => {};

  constructor(database: Address) {
    this.#database = database;
  }

  onFailure(failed: (error: unknown) => void): void {
    this.#failed = failed;
  }

  /** Builds the index of the team's partition, once. */
  want(team: string): void {
    if (this.#wanted.has(team)) return;
    this.#wanted.add(team);
    this.#last = this.#last.then(() => this.#build(team));
  }

  /** Stops a build; PostgreSQL leaves an invalid index behind, which the next build replaces. */
  close(): void {
    this.#stopping.abort();
  }

  async #build(team: string): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      // Without limits of time: an index of a million vectors takes minutes.
      await withClient(this.#database, {}, (client) => {
        const built = indexPartition((text, values) => client.query(text, values && [...values]), team);
        return Promise.race([built, stopped]);
      });
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
  }
}
