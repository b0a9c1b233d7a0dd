/** Watches a folder and all below it, gathering events for a moment, so that a save is one event and not five. */
import { statSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Editors save in several steps, git writes many files; this takes in most of one go. */
const GATHER_MS = 50;
/** Where the system cannot watch, looking now and then is better than not seeing. */
const LOOK_MS = 5000;

/** `onNames` gets the paths below the root that something happened to; none means: look at everything. */
export function watchFolder(
  root: string,
  signal: AbortSignal,
  onNames: (names: readonly string[] | undefined) => void,
): void {
  if (signal.aborted) return;
  let gathered = new Set<string>();
  let all = false;
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;

  const tell = (): void => {
    timer = undefined;
    const names = all ? undefined : [...gathered];
    gathered = new Set();
    all = false;
    onNames(names);
  };
  const note = (name: string | null): void => {
    // A folder that appeared or went took its files with it, without an event for each.
    if (name === null || !name.endsWith('.md') || isFolder(join(root, name))) all ||= isOfInterest(name);
    else gathered.add(name);
    if (all || gathered.size > 0) timer ??= setTimeout(tell, GATHER_MS).unref();
  };
  const look = (): void => {
    poll ??= setInterval(() => note(null), LOOK_MS).unref();
  };
  try {
    const watcher = watch(root, { recursive: true, signal, persistent: false }, (_, name) => note(name));
    watcher.on('error', look);
  } catch {
    look();
  }
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    clearInterval(poll);
  });
}

/** Files that are being written, and whatever else is no Markdown and no folder's name. */
function isOfInterest(name: string | null): boolean {
  return name === null || !/(?:^|[/\\])\.[^/\\]*$|\.[A-Za-z~]+$/.test(name);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
