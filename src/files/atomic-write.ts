/**
 * Replaces files so that a reader sees the old file or the new one, never a part: a temporary file of a unique name,
 * fsync, rename, fsync of the folder. A write that has returned survives SIGKILL and a power cut. Files are 0600 unless
 * the caller says otherwise, whatever the umask.
 */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileError } from './file-error.ts';
import { syncFolder, syncFolderSync } from './folders.ts';

export const FILE_MODE = 0o600;
/** Small pieces are gathered up to this before they are written. */
const WRITE_BYTES = 1024 * 1024;

let temporaries = 0;

export interface WriteOptions {
  /** False for a file that may be stale after a power cut: it still survives SIGKILL, and costs no fsync. */
  readonly synced?: boolean;
}

export async function writeAtomically(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  await replaceFile(path, [typeof data === 'string' ? Buffer.from(data) : data], options);
}

/** Like `writeAtomically`, for content that comes piece by piece. */
export async function replaceFile(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { synced = true }: WriteOptions = {},
): Promise<void> {
  const temporary = temporaryFor(path);
  try {
    const file = await open(temporary, 'wx', FILE_MODE);
    try {
      await writePieces(file, pieces);
      if (synced) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    if (synced) await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileError(error, path);
  }
}

/**
 * For the hook, the installer and the settings, which have no event loop to wait in. Throws what the system throws: the
 * caller knows which file it is and what the user can do.
 */
export function writeAtomicallySync(
  path: string,
  data: string | Uint8Array,
  { mode = FILE_MODE, synced = true }: WriteOptions & { readonly mode?: number } = {},
): void {
  const temporary = temporaryFor(path);
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      fchmodSync(file, mode);
      writeFileSync(file, data);
      if (synced) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    if (synced) syncFolderSync(dirname(path));
  } catch (error) {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // The first error says more.
    }
    throw error;
  }
}

/** Deletes a file so that it stays deleted: unlink, fsync of the folder. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  } catch (error) {
    throw fileError(error, path);
  }
}

/** In the same folder, because a rename cannot cross file systems. Worker threads share the pid, not the counter. */
function temporaryFor(path: string): string {
  const unique = `${process.pid}-${process.hrtime.bigint().toString(36)}-${temporaries++}`;
  return join(dirname(path), `.${basename(path)}.${unique}.tmp`);
}

async function writePieces(
  file: FileHandle,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  const flush = async () => {
    await file.appendFile(Buffer.concat(gathered));
    gathered = [];
    bytes = 0;
  };
  for await (const piece of pieces) {
    gathered.push(piece);
    bytes += piece.length;
    if (bytes >= WRITE_BYTES) await flush();
  }
  await flush();
}
