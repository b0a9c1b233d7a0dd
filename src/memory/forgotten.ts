/** Forgotten memories that can still be restored: one file each, readable by the owner only, until the text is erased. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ID_PATTERN, isMeantBy, type Memory, type Places } from '../core/index.ts';
import { readText, makeFolder, removeFile, writeAtomically } from '../files/index.ts';
import type { UserChanges } from '../storage/journal/index.ts';

/** One act of forgetting keeps what it took away; that of a whole project is some megabytes. */
const FORGOTTEN_BYTES = 256 * 1024 * 1024;

export interface Forgotten {
  readonly at: string;
  readonly memory: Memory;
  /** The memories that were merged into it. */
  readonly merged: readonly Memory[];
  readonly hand?: UserChanges;
  /** The user forgot it by its id, so that `undo` restores it. */
  readonly byUser?: boolean;
  /** The turns it came from. */
  readonly turns: readonly { readonly id: string; readonly project: string; readonly session: string }[];
}

export async function putForgotten(places: Places, forgotten: Forgotten): Promise<void> {
  await makeFolder(places.forgotten);
  await writeAtomically(fileOf(places, forgotten.memory.id), `${JSON.stringify(forgotten)}\n`);
}

/** Finds a forgotten memory by its id, its short id or the start of one; undefined if it was not forgotten or is erased. */
export async function findForgotten(places: Places, idOrPrefix: string): Promise<Forgotten | undefined> {
  const found = (await forgottenIds(places)).filter((id) => isMeantBy(id, idOrPrefix));
  return found.length === 1 && found[0] !== undefined ? readForgotten(places, found[0]) : undefined;
}

export async function allForgotten(places: Places): Promise<readonly Forgotten[]> {
  const all = await Promise.all((await forgottenIds(places)).map((id) => readForgotten(places, id)));
  return all.filter((one) => one !== undefined);
}

export async function eraseForgotten(places: Places, id: string): Promise<void> {
  const file = fileOf(places, id);
  if (existsSync(file)) await removeFile(file);
}

export async function readForgotten(places: Places, id: string): Promise<Forgotten | undefined> {
  try {
    return JSON.parse(await readText(fileOf(places, id), FORGOTTEN_BYTES)) as Forgotten; // written above
  } catch {
    return undefined; // an incomplete file counts as missing
  }
}

export async function forgottenIds(places: Places): Promise<readonly string[]> {
  const names = await readdir(places.forgotten).catch(() => []);
  return names.map((name) => name.replace(/\.json$/, '')).filter((id) => ID_PATTERN.test(id));
}

function fileOf(places: Places, id: string): string {
  return join(places.forgotten, `${id}.json`);
}
