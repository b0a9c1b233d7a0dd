/** The version of this program, and comparing two versions. */

declare const __TIDEMARK_VERSION__: string | undefined;

/** Set by the build; unbundled code (tests) has a placeholder. */
export const VERSION = typeof __TIDEMARK_VERSION__ === 'string' ? __TIDEMARK_VERSION__ : '0.0.0-dev';

/** Returns whether `a` is a later release than `b`. An invalid version is never newer. */
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
