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
  const flags = platform === 'win32' || platform === 'darwin' ? 'i' : '';
  return patterns.some((pattern) => matcher(slashes(pattern), slashes(home), flags).test(path));
}

function matcher(pattern: string, home: string, flags: string): RegExp {
  const trimmed = pattern.trim().replace(/(?<=.)\/+$/, '');
  const expanded = trimmed === '~' || trimmed.startsWith('~/') ? home + trimmed.slice(1) : trimmed;
  // A bare name such as `scratch` means a folder of that name anywhere, as in a .gitignore.
  const anchored = expanded.startsWith('/') || /^[A-Za-z]:\//.test(expanded) ? expanded : `**/${expanded}`;
  const below = anchored === '/' ? '' : '(?:/.*)?';
  return new RegExp(`^${globSource(anchored)}${below}$`, flags);
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
