/** Waiting for something another process does, by looking again until it is so. */

const POLL_MS = 20;
const TIMEOUT_MS = 20_000;

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
