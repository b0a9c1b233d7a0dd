/** Does a folder lie in what `capture.ignore` names? Paths cover everything below them; globs know `*`, `**` and `?`. */
import { resolve, sep } from 'node:path';

/** `isIgnored('/home/a/secret/x', ['~/secret'], '/home/a')` → true */
export function isIgnored(folder: string, patterns: readonly string[], home: string): boolean {
  const path = slashes(resolve(folder));
  return patterns.some((pattern) => matcher(pattern, home).test(path));
}

function matcher(pattern: string, home: string): RegExp {
  const trimmed = slashes(pattern.trim()).replace(/(?<=.)\/+$/, '');
  const whole = trimmed === '~' || trimmed.startsWith('~/') ? slashes(home) + trimmed.slice(1) : trimmed;
  // A bare name such as `scratch` means a folder of that name anywhere, as in a .gitignore.
  const anchored = whole.startsWith('/') || /^[A-Za-z]:\//.test(whole) ? whole : `**/${whole}`;
  const below = anchored === '/' ? '' : '(?:/.*)?';
  return new RegExp(`^${globSource(anchored)}${below}$`);
}

function globSource(glob: string): string {
  return glob.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    return `\\${token}`;
  });
}

function slashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
