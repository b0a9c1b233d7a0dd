/**
 * Tells when a hook has left an event in the inbox, so that it is taken at once and not with the next event or sweep.
 * Where a folder cannot be watched nothing is told, and the sweep serves.
 */
import { watch } from 'node:fs';

/** Hooks that could not reach us come in groups, and taking their events away is seen here too. */
const TOGETHER_MS = 20;

/** Until the returned function is called. */
export function watchInbox(folder: string, onArrival: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(folder, (_, name) => {
      if (name?.endsWith('.json')) timer ??= setTimeout(told, TOGETHER_MS);
    });
    watcher.on('error', () => watcher.close());
    return () => {
      watcher.close();
      clearTimeout(timer);
    };
  } catch {
    return () => {};
  }

  function told(): void {
    timer = undefined;
    onArrival();
  }
}
