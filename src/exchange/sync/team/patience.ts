/** When a server that failed is asked again: soon at first, then ever later; at once when a person asks. */
import { problemOf } from './state.ts';

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 15 * 60_000;

/** What does not go away by itself: asking often would not help. */
const LASTING: ReadonlySet<string> = new Set(['team.key', 'team.refused', 'team.gone']);

export class Patience {
  #failures = 0;
  #until = 0;

  get isResting(): boolean {
    return Date.now() < this.#until;
  }

  get nextTryAt(): string {
    return new Date(this.#until).toISOString();
  }

  failed(error: unknown): void {
    const asked = Number((error as { retryAfterMs?: unknown }).retryAfterMs) || 0;
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++);
    const least = LASTING.has(problemOf(error).code) ? LONGEST_RETRY_MS : wait;
    this.#until = Date.now() + Math.max(least, asked);
  }

  /** It went well, or somebody wants it now. */
  renew(): void {
    this.#failures = 0;
    this.#until = 0;
  }
}
