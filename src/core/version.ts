/** Which version this program is, and which of two is newer. */

declare const __TIDEMARK_VERSION__: string | undefined;

/** Set by the build; unbundled code (tests) has none. */
export const VERSION = typeof __TIDEMARK_VERSION__ === 'string' ? __TIDEMARK_VERSION__ : '0.0.0-dev';

/** Whether `a` is a later release than `b`. What is not a version is never newer. */
export function isNewer(a: string, b: string): boolean {
  const [x, y] = [numbers(a), numbers(b)];
  if (!x || !y) return false;
  for (let i = 0; i < 3; i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function numbers(version: string): readonly number[] | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match?.slice(1).map(Number);
}
