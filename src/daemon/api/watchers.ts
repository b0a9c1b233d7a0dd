/** Publishes what happens to those who watch: the hub's pages and `tidemark watch`. Stores nothing for later. */

/** Notices about new memories. */
const NEW_MEMORIES: ReadonlySet<string> = new Set(['captured', 'remembered', 'journal changed']);
/** Notices for the hub. */
const PUBLISHED: ReadonlySet<string> = new Set([
  ...NEW_MEMORIES,
  'kept',
  'changed',
  'forgotten',
  'restored',
  'reviewed',
  'recalled',
  'settings',
]);

export interface DaemonEvent {
  readonly what: string;
  /** Ids of the memories that are new or changed, where they are known. */
  readonly memories?: readonly string[];
  readonly [fact: string]: unknown;
}

interface Follower {
  readonly send: (event: DaemonEvent) => void;
  readonly end: (why: string) => void;
}

export class Watchers {
  readonly #followers = new Set<Follower>();
  readonly #listeners = new Set<(event: DaemonEvent) => void>();

  get followers(): number {
    return this.#followers.size;
  }

  /** Sends new memories until the follower leaves or the daemon stops. */
  follow(send: (event: DaemonEvent) => void, signal: AbortSignal): Promise<{ readonly ended: string }> {
    return new Promise((resolve) => {
      const follower: Follower = {
        send,
        end: (why) => {
          this.#followers.delete(follower);
          resolve({ ended: why });
        },
      };
      this.#followers.add(follower);
      if (signal.aborted) return follower.end('gone');
      signal.addEventListener('abort', () => follower.end('gone'), { once: true });
    });
  }

  /** Returns a function that ends the subscription. */
  listen(listener: (event: DaemonEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(notice: string, facts: Readonly<Record<string, unknown>>): void {
    if (!PUBLISHED.has(notice)) return;
    const event = { ...facts, what: notice };
    for (const listener of this.#listeners) listener(event);
    if (NEW_MEMORIES.has(notice)) for (const { send } of this.#followers) send(event);
  }

  close(why: string): void {
    for (const { end } of this.#followers) end(why);
  }
}
