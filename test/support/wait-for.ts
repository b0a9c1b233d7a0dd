/** Waits for another process by polling a condition. */

const POLL_MS = 20;
/** For an overloaded machine; shorter than the daemon's sweep interval, because a sweep could hide a bug. */
const TIMEOUT_MS = 45_000;

/** Resolves with the first truthy answer of `look`. `explain` adds details to the error of a timeout. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  options: { readonly timeout?: number; readonly poll?: number; readonly explain?: () => string } = {},
): Promise<NonNullable<T>> {
  const { timeout = TIMEOUT_MS, poll = POLL_MS, explain = () => '' } = options;
  const end = Date.now() + timeout;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: not within ${timeout} ms\n${explain()}`.trim());
    await new Promise((resolve) => setTimeout(resolve, poll));
  }
}
