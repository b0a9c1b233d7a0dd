/** Waiting for something another process does, by looking again until it is so. */

const POLL_MS = 20;
/** For a machine with twenty times more to do than it can; short of the daemon's sweep, which mends much by itself. */
const TIMEOUT_MS = 45_000;

/** Resolves with the first truthy answer of `look`; `explain` is asked for details when time is up. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  options: { readonly timeout?: number; readonly explain?: () => string } = {},
): Promise<NonNullable<T>> {
  const { timeout = TIMEOUT_MS, explain = () => '' } = options;
  const end = Date.now() + timeout;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${timeout} ms in vain for ${what}\n${explain()}`.trim());
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
