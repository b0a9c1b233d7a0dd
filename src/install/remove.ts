/** Takes our own files away: the program, or everything. Only what has a name of ours goes, whatever folder it lies in. */
import { existsSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import type { Places } from '../core/index.ts';
import { readTextSync, STATE_BYTES } from '../files/index.ts';

/** What was put there to run it. A mark stays so that the hooks of sessions still open do not bring it back. */
export function removeProgram(places: Places): void {
  for (const path of [places.app, places.before, places.node, places.program])
    rmSync(path, { recursive: true, force: true });
  if (!existsSync(places.home)) return;
  writeFileSync(places.uninstalled, `${new Date().toISOString()}\n`, { mode: 0o600 });
}

/** Returns what is left in the data folder because it is not ours. */
export function purgeData(places: Places): readonly string[] {
  removeRuntimeFolder(places);
  if (!existsSync(places.home)) return [];
  for (const name of ownNames(places))
    rmSync(`${places.home}${sep}${name}`, { recursive: true, force: true });
  const left = readdirSync(places.home);
  if (left.length === 0) rmdirSync(places.home);
  return left;
}

/** The first part of every place: `spool/inbox` is `spool`. */
function ownNames(places: Places): ReadonlySet<string> {
  const inside = Object.values(places).map((path: string) => relative(places.home, path));
  return new Set(
    inside.map((path) => path.split(sep)[0] ?? '').filter((name) => name !== '' && name !== '..'),
  );
}

/** Where the socket went when the data folder's path was too long for it. */
function removeRuntimeFolder(places: Places): void {
  if (!existsSync(places.socketPointer)) return;
  const folder = dirname(readTextSync(places.socketPointer, STATE_BYTES).trim());
  if (/[\\/]tidemark-\d+-[0-9a-z]+$/i.test(folder)) rmSync(folder, { recursive: true, force: true });
}
