/**
 * Moves events that a hook wrote to the inbox, because no daemon answered, into the spool: durably first, then the file is
 * deleted. A crash between the two leaves the file, and its id is known the second time.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpooledEvent } from '../../core/index.ts';
import { FILE_TOO_LARGE, isRefused, readText, fileError } from '../../files/index.ts';
import { readEvent } from './line.ts';
import type { Quarantine } from './quarantine.ts';

/** Enough to share an fsync, few enough for the memory. */
const BATCH = 64;
/** A hook writes at most a few bounded fields; what is larger is not an event. */
const EVENT_BYTES = 16 * 1024 * 1024;
const SUFFIX = '.json';
const DRAFT = '.tmp';
/** A hook lives two seconds at most: an older draft was left by one that was killed, and was never acknowledged. */
const ABANDONED_MS = 60_000;

/** Goes by file name, which begins with the time. Returns how many events were taken, new and known. */
export async function drainInbox(
  folder: string,
  poison: Quarantine,
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
      names.slice(start, start + BATCH).map((name) => readInboxFile(folder, name, poison)),
    );
    const found = read.filter((one) => one !== undefined);
    await Promise.all(found.map(({ event }) => append(event)));
    await Promise.all(found.map(({ path }) => unlink(path).catch(ignoreMissing)));
    taken += found.length;
  }
  return taken;
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
  poison: Quarantine,
): Promise<{ path: string; event: SpooledEvent } | undefined> {
  const path = join(folder, name);
  const line = await readOne(path);
  if (!line) return undefined;
  if (line.ok) return { path, event: line.event };
  await poison.putFile(path, name.slice(0, -SUFFIX.length), line.reason);
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
    if (code === 'ENOENT') return undefined; // someone took it away
    if (code === 'EACCES') return { ok: false, reason: `cannot be read: ${code}` };
    throw fileError(error, path);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
