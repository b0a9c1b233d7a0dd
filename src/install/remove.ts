/** Removes our files: the program, or everything. Only files with our names are removed, in any folder. */
import { existsSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import type { Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES } from '../files/index.ts';

/** Removes the program. A marker stays, so that hooks of open sessions do not start it again. */
export function removeProgram(places: Places): void {
  for (const path of [
    places.app,
    places.before,
    places.installs,
    places.node,
    places.program,
    places.compiled,
  ])
    rmSync(path, { recursive: true, force: true });
  if (!existsSync(places.home)) return;
  writeFileSync(places.uninstalled, `${new Date().toISOString()}\n`, { mode: 0o600 });
}

/** Deletes our data. Returns the names in the data folder that are not ours. */
export function purgeData(places: Places): readonly string[] {
  removeRuntimeFolder(places);
  if (!existsSync(places.home)) return [];
  for (const name of ownNames(places))
    rmSync(`${places.home}${sep}${name}`, { recursive: true, force: true });
  const left = readdirSync(places.home);
  if (left.length === 0) rmdirSync(places.home);
  return left;
}

/** Returns the first part of every place: `spool` for `spool/inbox`. */
function ownNames(places: Places): ReadonlySet<string> {
  const inside = Object.values(places).map((path: string) => relative(places.home, path));
  return new Set(
    inside.map((path) => path.split(sep)[0] ?? '').filter((name) => name !== '' && name !== '..'),
  );
}

/** Removes the socket's folder, used when the data folder's path is too long for a socket. */
function removeRuntimeFolder(places: Places): void {
  if (!existsSync(places.socketPointer)) return;
  const folder = dirname(readTextSync(places.socketPointer, STATE_BYTES).trim());
  if (/[\\/]tidemark-\d+-[0-9a-z]+$/i.test(folder)) rmSync(folder, { recursive: true, force: true });
}
