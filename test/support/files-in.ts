/** A folder with everything in it, to compare it before and after. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder with its content, to compare before and after. `ignored`: what the client writes itself. */
export function filesIn(folder: string, ignored: readonly RegExp[] = []): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const entries = names
    .filter((name) => !ignored.some((pattern) => pattern.test(name)))
    .map((name) => [name, contentOf(join(folder, name))] as const);
  return Object.fromEntries(entries);
}

function contentOf(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  return stat.isFile() ? readFileSync(path, 'latin1') : 'a folder';
}
