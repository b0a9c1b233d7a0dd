/** Those who follow what is remembered as it happens. Tells each of them; keeps nothing for one who comes late. */

/** What a follower hears of: the writer's own words for it. */
const FOLLOWED = new Set(['captured', 'remembered', 'journal changed']);

export interface Happening {
  readonly what: string;
  /** Ids of the memories that came or changed, where they are known. */
  readonly memories?: readonly string[];
}

interface Follower {
  readonly send: (happening: Happening) => void;
  readonly end: (why: string) => void;
}

export class Watchers {
  readonly #followers = new Set<Follower>();

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

  tell(notice: string, facts: Readonly<Record<string, unknown>>): void {
    if (!FOLLOWED.has(notice)) return;
    for (const { send } of this.#followers) send({ ...facts, what: notice });
  }

  close(why: string): void {
    for (const { end } of this.#followers) end(why);
  }
}
