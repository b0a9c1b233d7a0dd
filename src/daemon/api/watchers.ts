/** Those who follow what is remembered as it happens. Tells each of them; keeps nothing for one who comes late. */

/** What brings new memories: the writer's own words for it. */
const FOLLOWED: ReadonlySet<string> = new Set(['captured', 'remembered', 'journal changed']);
/** What the hub shows besides. */
const HEARD: ReadonlySet<string> = new Set([
  ...FOLLOWED,
  'changed',
  'forgotten',
  'restored',
  'reviewed',
  'recalled',
  'settings',
]);

export interface Happening {
  readonly what: string;
  /** Ids of the memories that came or changed, where they are known. */
  readonly memories?: readonly string[];
  readonly [fact: string]: unknown;
}

interface Follower {
  readonly send: (happening: Happening) => void;
  readonly end: (why: string) => void;
}

export class Watchers {
  readonly #followers = new Set<Follower>();
  readonly #listeners = new Set<(happening: Happening) => void>();

  /** Resolves when the follower leaves or the daemon does. */
  follow(send: (happening: Happening) => void, signal: AbortSignal): Promise<{ readonly ended: string }> {
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

  /** Hears of everything until it is called off. */
  listen(listener: (happening: Happening) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(notice: string, facts: Readonly<Record<string, unknown>>): void {
    if (!HEARD.has(notice)) return;
    for (const listener of this.#listeners) listener({ ...facts, what: notice });
    if (!FOLLOWED.has(notice)) return;
    for (const { send } of this.#followers) send({ ...facts, what: notice });
  }

  close(why: string): void {
    for (const { end } of this.#followers) end(why);
  }
}
