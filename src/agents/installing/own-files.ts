/** Files of our own in a client's folders: written whole, removed whole, together with the folders made for them. */
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolderSync, readTextSync, writeAtomicallySync } from '../../files/index.ts';
import { removeIfEmpty } from './edited-file.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export interface OwnFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the files whose content is not as wanted. */
export function outdated(files: readonly OwnFile[]): readonly OwnFile[] {
  return files.filter(({ path, text }) => !existsSync(path) || readTextSync(path, MAX_BYTES) !== text);
}

/** Writes what is missing or differs; returns the files written. */
export function putFiles(files: readonly OwnFile[]): readonly OwnFile[] {
  const changed = outdated(files);
  for (const { path, text } of changed) {
    makeFolderSync(dirname(path));
    writeAtomicallySync(path, text, { mode: 0o600 });
  }
  return changed;
}

/** Removes files, and then the folders of those that existed, up to `below`, if they are empty. Returns their paths. */
export function removeFiles(paths: readonly string[], below: string): readonly string[] {
  const there = paths.filter((path) => existsSync(path));
  for (const path of there) rmSync(path, { force: true });
  for (const path of there)
    for (let folder = dirname(path); folder.startsWith(`${below}/`); folder = dirname(folder))
      removeIfEmpty(folder);
  return there;
}
