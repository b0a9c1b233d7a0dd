/**
 * Watches the folders of the journal and gathers events for a moment, so that a save is one event and not five. Watches
 * each folder by itself: on Linux, Node's recursive watch loses a file as soon as a rename replaces it.
 */
import { statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { listFolderSync } from '../../files/index.ts';

/** Editors save in several steps and git writes many files; most of one action fits into this time. */
export const GATHER_MS = 50;
/** Interval for polling where the system cannot watch. */
const POLL_MS = 5000;
/** Projects below the root, archives below them. */
const DEPTH = 2;

/** `onNames` gets the changed paths below the root; undefined means that any file may have changed. */
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

  const report = (): void => {
    timer = undefined;
    if (all) watchAll();
    const names = all ? undefined : [...gathered];
    gathered = new Set();
    all = false;
    onNames(names);
  };
  const note = (folder: string, name: string | null): void => {
    if (name?.startsWith('.')) return; // temporary files of this program or of an editor
    if (name && /\.(?:md|jsonl)$/.test(name)) gathered.add(join(folder, name));
    else {
      // Perhaps a folder that was created, deleted or replaced.
      const path = join(folder, name ?? '');
      if (name !== null) drop(path);
      all = true;
    }
    timer ??= setTimeout(report, GATHER_MS).unref();
  };
  const drop = (folder: string): void => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  };
  const pollInstead = (): void => {
    poll ??= setInterval(() => note('', null), POLL_MS).unref();
  };
  const watchAll = (): void => {
    const folders = foldersBelow(root, '', DEPTH);
    for (const folder of watchers.keys()) if (!folders.includes(folder)) drop(folder);
    for (const folder of folders) {
      const inode = statSync(join(root, folder), { throwIfNoEntry: false })?.ino;
      if (watchers.get(folder)?.inode === inode && inode !== undefined) continue;
      // The link has another target now, or none: git deletes a folder with its last file.
      drop(folder);
      try {
        const watcher = watch(join(root, folder), { persistent: false }, (_, name) => note(folder, name));
        watcher.on('error', pollInstead);
        watchers.set(folder, { watcher, inode: inode ?? 0 });
      } catch {
        pollInstead();
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
    return []; // not a folder, or deleted
  }
}
