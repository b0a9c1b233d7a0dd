/** Where the program lies and which Node runs it, written down for the hooks: they have no PATH to count on. */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION, type Places } from '../../core/index.ts';
import { makeFolderSync, readTextSync, STATE_BYTES, writeAtomicallySync } from '../../files/index.ts';

export function recordProgram(places: Places, dist: string): void {
  makeFolderSync(places.home);
  put(places.node, process.execPath);
  put(places.program, dist);
}

/** What leads nowhere, because a Node was removed or the client cleared an old copy away, is replaced by what runs now. */
export function repairRecord(places: Places, dist: string): void {
  const node = firstLine(places.node);
  const program = firstLine(places.program);
  if (node === undefined || !isProgram(node)) put(places.node, process.execPath);
  if (program === undefined || !existsSync(join(program, 'daemon.cjs'))) put(places.program, dist);
}

/** Whoever installs a version knows it: no session need tell. */
export function acknowledgeVersion(places: Places): void {
  put(places.knownVersion, VERSION);
}

function put(path: string, text: string): void {
  const line = `${text}\n`;
  if (existsSync(path) && readTextSync(path, STATE_BYTES) === line) return;
  writeAtomicallySync(path, line);
}

function firstLine(path: string): string | undefined {
  return existsSync(path) ? readTextSync(path, STATE_BYTES).split('\n', 1)[0] : undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
