/** Tells whether a transcript file has grown or was replaced. */
import { closeSync, readSync } from 'node:fs';
import { contentHash } from '../../core/index.ts';
import { isRefused, openRegularSync } from '../../files/index.ts';
import type { TranscriptState } from '../transcript.ts';

/** Bytes of the first line that identify a file. */
const HEAD_BYTES = 512;

/** Undefined for a missing file and for anything that is no regular file. */
export function fileState(path: string): TranscriptState | undefined {
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
    const { code } = error as NodeJS.ErrnoException; // fs throws errno errors
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
