/**
 * Reads files that we do not control: a cloned repository, a path from hook input, a data folder that tools write to.
 * Reads regular files only, at most `limit` bytes, and never waits for a pipe or a device. Follows links, because users
 * link their settings and journals; what a link leads to has to be a regular file as well. Never writes.
 */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { TidemarkError } from '../core/index.ts';
import { STATE_BYTES } from './limits.ts';

/**
 * Without O_NONBLOCK, opening a FIFO waits until something writes to it. O_NOCTTY: opening a terminal must not make it
 * the one that controls the daemon. Windows has neither.
 */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
/** First read of an empty file, which may grow. */
const SMALLEST_READ = 4096;
/**
 * File systems of the Linux kernel, by their magic number. Their files are regular by mode, but some have no end
 * (`/proc/self/pagemap`) and some wait for an event (`/proc/kmsg`).
 */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x73636673, // securityfs
  0x62656570, // configfs
  0xf97cff8c, // selinuxfs
  0xde5e81e4, // efivarfs
  0xcafe4a11, // bpf
  0x1cd1, // devpts
  0x19800202, // mqueue
  0x6e736673, // nsfs
  0x42494e4d, // binfmt_misc
  0x6e667364, // nfsd
  0x67596969, // rpc_pipefs
]);

/** Codes of the errors thrown here; what the system refuses keeps its own code (`ENOENT`, `EACCES`). */
export const NOT_A_FILE = 'not-a-file';
export const FILE_TOO_LARGE = 'file-too-large';

export interface OpenedSync {
  readonly fd: number;
  readonly size: number;
  readonly inode: number;
  readonly modifiedAt: number;
}

/** Opens a regular file for reading. The caller closes the descriptor, and bounds what it reads. */
export function openRegularSync(path: string): OpenedSync {
  const fd = asNotAFile(path, () => openSync(path, READ_FLAGS));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || isOfKernel(`/proc/self/fd/${fd}`)) throw notAFile(path);
    return { fd, size: stat.size, inode: stat.ino, modifiedAt: stat.mtimeMs };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens a regular file for reading, at most `limit` bytes long where one is given. The caller closes the handle. */
export async function openRegular(path: string, limit = Infinity): Promise<FileHandle> {
  const file = await open(path, READ_FLAGS).catch((error: unknown) =>
    asNotAFile(path, () => {
      throw error;
    }),
  );
  try {
    const stat = await file.stat();
    if (!stat.isFile() || isOfKernel(`/proc/self/fd/${file.fd}`)) throw notAFile(path);
    if (stat.size > limit) throw tooLarge(path, limit);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns the content of a regular file. Throws when it is longer than `limit`, also when it grows while it is read. */
export function readBytesSync(path: string, limit: number): Buffer {
  const { fd, size } = openRegularSync(path);
  try {
    if (size > limit) throw tooLarge(path, limit);
    return readOpenSync(fd, limit, path);
  } finally {
    closeSync(fd);
  }
}

export function readTextSync(path: string, limit: number): string {
  return readBytesSync(path, limit).toString('utf8');
}

/** Returns the content of an open file from its beginning. `path` is for the error. */
export function readOpenSync(fd: number, limit: number, path: string): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const part = Buffer.allocUnsafe(nextLength(fstatSync(fd).size, at, limit));
    const length = readSync(fd, part, 0, part.length, at);
    if (length === 0) return Buffer.concat(parts);
    at += length;
    if (at > limit) throw tooLarge(path, limit);
    parts.push(part.subarray(0, length));
  }
}

export async function readBytes(path: string, limit: number): Promise<Buffer> {
  const file = await openRegular(path, limit);
  try {
    const parts: Buffer[] = [];
    for (let at = 0; ;) {
      const part = Buffer.allocUnsafe(nextLength((await file.stat()).size, at, limit));
      const { bytesRead } = await file.read(part, 0, part.length, at);
      if (bytesRead === 0) return Buffer.concat(parts);
      at += bytesRead;
      if (at > limit) throw tooLarge(path, limit);
      parts.push(part.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

export async function readText(path: string, limit: number): Promise<string> {
  return (await readBytes(path, limit)).toString('utf8');
}

/** Reports whether a path leads to a regular file, without opening it. */
export function isRegularFile(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false) && !isOfKernel(path);
  } catch {
    return false; // a loop of links, a folder that cannot be entered
  }
}

/** `/proc/self/fd/7` names the file that is open, whatever a path leads to by now. */
function isOfKernel(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return KERNEL_FILE_SYSTEMS.has(statfsSync(path).type);
  } catch {
    return false; // no /proc here, so no file of it
  }
}

/** Reports whether a path leads to a program that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the first line of a small file of ours; undefined where it is empty or cannot be read. */
export function firstLineOf(path: string): string | undefined {
  try {
    return readTextSync(path, STATE_BYTES).split('\n', 1)[0] || undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether an error says that a file is of the wrong kind or too large: trying again does not help. */
export function isRefused(error: unknown): error is TidemarkError {
  return error instanceof TidemarkError && (error.code === NOT_A_FILE || error.code === FILE_TOO_LARGE);
}

/** One byte more than is expected, so that a file which grows is seen to grow, and the limit is seen to be passed. */
function nextLength(size: number, at: number, limit: number): number {
  return Math.min(Math.max(size - at, SMALLEST_READ), limit - at) + 1;
}

/** A socket cannot be opened at all; a device may have no driver. Both are no regular file. */
function asNotAFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // what fs throws is an errno error
    throw code === 'ENXIO' || code === 'ENODEV' || code === 'EISDIR' ? notAFile(path, error) : error;
  }
}

function notAFile(path: string, cause?: unknown): TidemarkError {
  return new TidemarkError(NOT_A_FILE, `${path} is not a regular file`, {
    cause,
    hint: 'It is a folder, a pipe, a device or a link to one. Replace it with a regular file, or remove it.',
  });
}

function tooLarge(path: string, limit: number): TidemarkError {
  return new TidemarkError(FILE_TOO_LARGE, `${path} is larger than ${sizeOf(limit)}`, {
    hint: 'Make the file smaller, or remove it.',
  });
}

function sizeOf(bytes: number): string {
  const [unit, size] = bytes < 1024 * 1024 ? ['KB', 1024] : ['MB', 1024 * 1024];
  return `${Math.round(bytes / (size as number))} ${unit}`;
}
