/**
 * Moves events that a hook wrote to the inbox, because no daemon answered, into the spool: durably first, then the file is
 * deleted. After a crash between the two steps the file is read again, and its id is already known.
 */
import { watch } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpooledEvent } from '../../core/index.ts';
import { FILE_TOO_LARGE, isRefused, readText, fileError } from '../../files/index.ts';
import { readEvent } from './line.ts';
import type { Quarantine } from './quarantine.ts';

/** Large enough to share an fsync, small enough for memory. */
const BATCH = 64;
/** A hook writes a few bounded fields; a larger file is not an event. */
const EVENT_BYTES = 16 * 1024 * 1024;
const SUFFIX = '.json';
const DRAFT = '.tmp';
/** A hook runs two seconds at most: an older draft was left by a killed hook and was never acknowledged. */
const ABANDONED_MS = 60_000;
/** Several hooks often write at the same time, and the deletion of their files is reported as well. */
const GATHER_MS = 20;

/** Works in the order of the file names, which begin with the time. Returns the number of events, new and known. */
export async function drainInbox(
  folder: string,
  quarantine: Quarantine,
  append: (event: SpooledEvent) => Promise<unknown>,
): Promise<number> {
  const present = await readdir(folder);
  await removeDrafts(
    folder,
    present.filter((name) => name.endsWith(DRAFT)),
  );
  const names = present.filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.')).toSorted();
  let taken = 0;
  for (let start = 0; start < names.length; start += BATCH) {
    const read = await Promise.all(
      names.slice(start, start + BATCH).map((name) => readInboxFile(folder, name, quarantine)),
    );
    const found = read.filter((one) => one !== undefined);
    await Promise.all(found.map(({ event }) => append(event)));
    await Promise.all(found.map(({ path }) => unlink(path).catch(ignoreMissing)));
    taken += found.length;
  }
  return taken;
}

/**
 * Calls back when a hook has written an event to the inbox, so that it is processed at once and not with the next sweep.
 * Where the folder cannot be watched, only the sweep finds it. The returned function stops watching.
 */
export function watchInbox(folder: string, onArrival: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = watch(folder, (_, name) => {
      if (name?.endsWith('.json')) timer ??= setTimeout(report, GATHER_MS);
    });
    watcher.on('error', () => watcher.close());
    return () => {
      watcher.close();
      clearTimeout(timer);
    };
  } catch {
    return () => {};
  }

  function report(): void {
    timer = undefined;
    onArrival();
  }
}

async function removeDrafts(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > ABANDONED_MS) await unlink(path).catch(ignoreMissing);
  }
}

async function readInboxFile(
  folder: string,
  name: string,
  quarantine: Quarantine,
): Promise<{ path: string; event: SpooledEvent } | undefined> {
  const path = join(folder, name);
  const line = await readOne(path);
  if (!line) return undefined;
  if (line.ok) return { path, event: line.event };
  await quarantine.putFile(path, name.slice(0, -SUFFIX.length), line.reason);
  return undefined;
}

async function readOne(path: string): Promise<ReturnType<typeof readEvent> | undefined> {
  try {
    return readEvent(await readText(path, EVENT_BYTES));
  } catch (error) {
    if (isRefused(error)) {
      const tooLarge = error.code === FILE_TOO_LARGE;
      return {
        ok: false,
        reason: tooLarge ? 'too large to be an event' : 'cannot be read: not a regular file',
      };
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined; // deleted meanwhile
    if (code === 'EACCES') return { ok: false, reason: `cannot be read: ${code}` };
    throw fileError(error, path);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
