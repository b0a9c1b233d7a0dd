/**
 * Watches the folders of the journal, gathering events for a moment, so that a save is one event and not five.
 * Folder by folder: Node's recursive watch follows files, and on Linux loses one as soon as it is replaced by a rename.
 */
import { statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { listFolderSync } from '../../files/index.ts';

/** Editors save in several steps, git writes many files; this takes in most of one go. */
export const GATHER_MS = 50;
/** Where the system cannot watch, looking now and then is better than not seeing. */
const LOOK_MS = 5000;
/** Projects below the root, archives below them. */
const DEPTH = 2;

/** `onNames` gets the paths below the root that something happened to; none means: look at everything. */
export function watchFolder(
  root: string,
  signal: AbortSignal,
  onNames: (names: readonly string[] | undefined) => void,
): void {
  if (signal.aborted) return;
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>();
  let gathered = new Set<string>();
  let all = false;
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;

  const tell = (): void => {
    timer = undefined;
    if (all) watchAll();
    const names = all ? undefined : [...gathered];
    gathered = new Set();
    all = false;
    onNames(names);
  };
  const note = (folder: string, name: string | null): void => {
    if (name?.startsWith('.')) return; // being written, by us or an editor
    if (name && /\.(?:md|jsonl)$/.test(name)) gathered.add(join(folder, name));
    else {
      // Perhaps a folder that came, went, or is another one now under the same name.
      const path = join(folder, name ?? '');
      if (name !== null) drop(path);
      all = true;
    }
    timer ??= setTimeout(tell, GATHER_MS).unref();
  };
  const drop = (folder: string): void => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  };
  const lookInstead = (): void => {
    poll ??= setInterval(() => note('', null), LOOK_MS).unref();
  };
  const watchAll = (): void => {
    const folders = foldersBelow(root, '', DEPTH);
    for (const folder of watchers.keys()) if (!folders.includes(folder)) drop(folder);
    for (const folder of folders) {
      const inode = statSync(join(root, folder), { throwIfNoEntry: false })?.ino;
      if (watchers.get(folder)?.inode === inode && inode !== undefined) continue;
      // A link leads to another folder now, or to none: git takes a folder away with its last file.
      drop(folder);
      try {
        const watcher = watch(join(root, folder), { persistent: false }, (_, name) => note(folder, name));
        watcher.on('error', lookInstead);
        watchers.set(folder, { watcher, inode: inode ?? 0 });
      } catch {
        lookInstead();
      }
    }
  };
  watchAll();
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    clearInterval(poll);
    for (const folder of watchers.keys()) drop(folder);
  });
}

function foldersBelow(root: string, folder: string, depth: number): readonly string[] {
  if (depth === 0) return [folder];
  const below = entriesOf(join(root, folder)).filter(
    (entry) => !entry.name.startsWith('.') && !entry.isFile(),
  );
  return [folder, ...below.flatMap((entry) => foldersBelow(root, join(folder, entry.name), depth - 1))];
}

function entriesOf(path: string) {
  try {
    return listFolderSync(path);
  } catch {
    return []; // not a folder, or gone
  }
}
