/** Makes, syncs and lists folders. A listing is bounded: a folder with millions of names costs no more than a large one. */
import { closeSync, fsyncSync, mkdirSync, opendirSync, openSync, type Dirent } from 'node:fs';
import { chmod, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileError } from './file-error.ts';

const FOLDER_MODE = 0o700;
const OTHERS = 0o077;
const TEMPORARY = /^\..+\.tmp$/;
/** More than any folder of a journal, of transcripts or of a data folder holds; a listing of it is a few megabytes. */
export const MOST_ENTRIES = 100_000;

/** Returns at most `most` entries in no particular order. Throws what the system throws (`ENOENT`, `ENOTDIR`). */
export function listFolderSync(path: string, most = MOST_ENTRIES): readonly Dirent[] {
  const folder = opendirSync(path, { bufferSize: 256 });
  try {
    const entries: Dirent[] = [];
    while (entries.length < most) {
      const entry = folder.readSync();
      if (!entry) break;
      entries.push(entry);
    }
    return entries;
  } finally {
    folder.closeSync();
  }
}

/** Returns the sorted names; none where there is no such folder. Throws where it cannot be read. */
export function namesIn(path: string, most = MOST_ENTRIES): readonly string[] {
  try {
    return listFolderSync(path, most)
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // what fs throws is an errno error
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** Makes a folder and its parents, durably. An existing folder that others may enter is closed to them. */
export async function makeFolder(path: string): Promise<void> {
  try {
    const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
    if (first === undefined) return await closeToOthers(path);
    for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
  } catch (error) {
    throw fileError(error, path);
  }
}

/**
 * Makes a folder and its parents. Level by level, because mkdirSync with `recursive` never returns where a folder exists
 * but takes no children and reports ENOENT, as in /proc: a hook must not spin there. A file in its place is not an error
 * here; the next step fails with ENOTDIR.
 */
export function makeFolderSync(path: string): void {
  const error = tryMake(path);
  if (!error) return;
  const parent = dirname(path);
  if (error.code !== 'ENOENT' || parent === path) throw error;
  makeFolderSync(parent);
  const again = tryMake(path);
  if (again) throw again;
}

/** Removes temporary files that a killed writer left. In a folder with other writers, only those older than `olderThanMs`. */
export async function removeTemporaries(folder: string, olderThanMs = 0): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!TEMPORARY.test(name)) continue;
    if (olderThanMs > 0 && Date.now() - (await stat(path)).mtimeMs < olderThanMs) continue;
    await rm(path, { force: true });
  }
}

/** File systems over a network or in user space may not sync folders; the rename has happened all the same. */
const NO_FOLDER_SYNC: readonly string[] = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Makes a rename or an unlink in the folder durable. Windows cannot open a folder; NTFS keeps its own journal. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync().catch(unlessUnsupported);
  } finally {
    await folder.close();
  }
}

export function syncFolderSync(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } catch (error) {
    unlessUnsupported(error);
  } finally {
    closeSync(folder);
  }
}

function unlessUnsupported(error: unknown): void {
  if (!NO_FOLDER_SYNC.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}

function tryMake(path: string): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
    return undefined;
  } catch (error) {
    const failed = error as NodeJS.ErrnoException; // what fs throws is an errno error
    return failed.code === 'EEXIST' ? undefined : failed;
  }
}

async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & OTHERS) !== 0 && process.platform !== 'win32') await chmod(path, FOLDER_MODE);
}
