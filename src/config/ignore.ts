/** Matches a folder against `capture.ignore`. Paths include everything below them; globs support `*`, `**` and `?`. */
import { posix, win32 } from 'node:path';

/** `isIgnored('/home/a/secret/x', ['~/secret'], '/home/a')` → true */
export function isIgnored(
  folder: string,
  patterns: readonly string[],
  home: string,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const slashes = (path: string): string => (platform === 'win32' ? path.replaceAll('\\', '/') : path);
  const path = slashes((platform === 'win32' ? win32 : posix).resolve(folder));
  // File systems there ignore case.
  const isFolded = platform === 'win32' || platform === 'darwin';
  const folded = (text: string): string => (isFolded ? text.toUpperCase() : text);
  return patterns.some((pattern) => covers(folded(anchored(slashes(pattern), slashes(home))), folded(path)));
}

function anchored(pattern: string, home: string): string {
  const trimmed = pattern.trim().replace(/(?<=.)\/+$/, '');
  const expanded = trimmed === '~' || trimmed.startsWith('~/') ? home + trimmed.slice(1) : trimmed;
  // A bare name such as `scratch` means a folder of that name anywhere, as in a .gitignore.
  return expanded.startsWith('/') || /^[A-Za-z]:\//.test(expanded) ? expanded : `**/${expanded}`;
}

/**
 * Whether the glob matches the path or a folder above it. Costs at most the length of the glob times that of the path: a
 * team can set the glob, and a regular expression made from one can take minutes.
 */
function covers(glob: string, path: string): boolean {
  let ends: readonly number[] = [0];
  for (const token of glob.match(TOKENS) ?? []) {
    ends = endsAfter(token, path, ends);
    if (ends.length === 0) return false;
  }
  return ends.some((at) => at === path.length || (glob !== '/' && path[at] === '/'));
}

const TOKENS = /\*\*\/|\*\*|\*|\?|[^*?]+/g;

/** Returns the positions of the path at which the token can end, ascending, from those at which it can begin. */
function endsAfter(token: string, path: string, begins: readonly number[]): readonly number[] {
  const [first = path.length] = begins;
  switch (token) {
    case '**':
      return range(first, path.length);
    case '**/':
      return afterSlashes(path, begins);
    case '*':
      return withinNames(path, begins);
    case '?':
      return begins.filter((at) => at < path.length && path[at] !== '/').map((at) => at + 1);
    default:
      return begins.filter((at) => path.startsWith(token, at)).map((at) => at + token.length);
  }
}

/** Extends each position to the end of its name. */
function withinNames(path: string, begins: readonly number[]): readonly number[] {
  const ends: number[] = [];
  for (const begin of begins) {
    if (begin <= (ends.at(-1) ?? -1)) continue;
    const slash = path.indexOf('/', begin);
    for (const end of range(begin, slash < 0 ? path.length : slash)) ends.push(end);
  }
  return ends;
}

/** Adds every position after a later slash. */
function afterSlashes(path: string, begins: readonly number[]): readonly number[] {
  const known = new Set(begins);
  const [first = path.length] = begins;
  return range(first, path.length).filter((at) => known.has(at) || (at > first && path[at - 1] === '/'));
}

/** `range(2, 4)` → [2, 3, 4] */
function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}
