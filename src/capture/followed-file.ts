/** A transcript that is followed: whether it is still the file read last time, and from where to read on. Reads only. */
import { closeSync, readSync } from 'node:fs';
import { contentHash } from '../core/index.ts';
import { isRefused, openRegularSync } from '../files/index.ts';
import type { Stores } from '../memory/index.ts';

/** Enough of the first line to know whether a file is still the one we read last time. */
const HEAD_BYTES = 512;

export interface FileIdentity {
  readonly size: number;
  readonly inode: number;
  readonly mtime: number;
  readonly headHash: string;
}

/** Undefined where there is no file, or none that can be followed: hook input may name a pipe, a device or a folder. */
export function identify(path: string): FileIdentity | undefined {
  const file = openIfRegular(path);
  if (!file) return undefined;
  const { fd, size, inode, modifiedAt: mtime } = file;
  try {
    return { size, inode, mtime, headHash: headOf(fd) };
  } finally {
    closeSync(fd);
  }
}

function openIfRegular(path: string): ReturnType<typeof openRegularSync> | undefined {
  try {
    return openRegularSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // what fs throws is an errno error
    if (isRefused(error) || code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function headOf(fd: number): string {
  const buffer = Buffer.alloc(HEAD_BYTES);
  const length = readSync(fd, buffer, 0, HEAD_BYTES, 0);
  const line = buffer.subarray(0, length).toString('latin1').split('\n')[0] ?? '';
  return contentHash(line).slice(0, 16);
}

/** From the start again when the file was truncated, replaced or rotated. */
export function startOffset(stores: Stores, path: string, file: FileIdentity): number {
  const known = stores.index.transcript(path);
  if (!known || known.inode !== file.inode || known.headHash !== file.headHash) return 0;
  return known.readOffset > file.size ? 0 : known.readOffset;
}
