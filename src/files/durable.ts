/**
 * Durable files: what has returned from here survives SIGKILL and a power cut. Folders 0700, files 0600, whatever the
 * umask. Knows nothing of what is inside a file.
 */
import { chmod, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TidemarkError } from '../core/index.ts';

export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
const OTHERS = 0o077;
/** Small pieces are gathered up to this before they are written. */
const WRITE_BYTES = 1024 * 1024;
const TEMPORARY = /^\..+\.tmp$/;

/** Something in a store that cannot be read: told to `doctor`, never thrown. */
export interface StoreProblem {
  readonly file: string;
  readonly line?: number;
  readonly offset?: number;
  readonly reason: string;
}

export type ReportProblem = (problem: StoreProblem) => void;

let temporaries = 0;

export interface WriteOptions {
  /** False for what may be stale after a power cut: it still survives SIGKILL, and costs no fsync. */
  readonly synced?: boolean;
}

/** The whole file or the old one, never a part: temporary file, fsync, rename, fsync of the folder. */
export async function writeAtomically(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  await replaceFile(path, [typeof data === 'string' ? Buffer.from(data) : data], options);
}

/** As `writeAtomically`, for content that comes piece by piece. */
export async function replaceFile(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { synced = true }: WriteOptions = {},
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${temporaries++}.tmp`);
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

/** Makes a folder and its parents, durably; an existing one that others may enter is closed to them. */
export async function makeFolder(path: string): Promise<void> {
  try {
    const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
    if (first === undefined) return await closeToOthers(path);
    for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
  } catch (error) {
    throw fileError(error, path);
  }
}

/** A file that is gone stays gone: unlink, fsync of the folder. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Temporary files a killed writer left. Only for a folder nobody else is writing to. */
export async function removeTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (TEMPORARY.test(name)) await rm(join(folder, name), { force: true });
  }
}

export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there, NTFS keeps its own journal
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The error of a file operation as one people can act on. */
export function fileError(error: unknown, path: string): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new TidemarkError('disk-full', `no space left to write ${path}`, {
        cause: error,
        hint: 'free some space; what was accepted before is safe',
      });
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new TidemarkError('not-permitted', `not permitted to write ${path}`, {
        cause: error,
        hint: 'the data folder must belong to you and be writable, or set TIDEMARK_HOME to one that is',
      });
    default:
      return new TidemarkError('file-failed', `cannot write ${path}${code && `: ${code}`}`, { cause: error });
  }
}

async function writePieces(
  file: FileHandle,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  const flush = async () => {
    await file.appendFile(Buffer.concat(held));
    held = [];
    bytes = 0;
  };
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes >= WRITE_BYTES) await flush();
  }
  await flush();
}

async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & OTHERS) !== 0 && process.platform !== 'win32') await chmod(path, FOLDER_MODE);
}
