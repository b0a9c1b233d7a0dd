/** A transcript that is followed: whether it is still the file read last time, and from where to read on. Reads only. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { contentHash } from '../core/index.ts';
import type { Stores } from '../memory/index.ts';

/** Enough of the first line to know whether a file is still the one we read last time. */
const HEAD_BYTES = 512;

export interface FileIdentity {
  readonly size: number;
  readonly inode: number;
  readonly mtime: number;
  readonly headHash: string;
}

export function identify(path: string): FileIdentity | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  return { size: stat.size, inode: stat.ino, mtime: stat.mtimeMs, headHash: headOf(path) };
}

function headOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const length = readSync(file, buffer, 0, HEAD_BYTES, 0);
    const line = buffer.subarray(0, length).toString('latin1').split('\n')[0] ?? '';
    return contentHash(line).slice(0, 16);
  } finally {
    closeSync(file);
  }
}

/** From the start again when the file was truncated, replaced or rotated. */
export function startOffset(stores: Stores, path: string, file: FileIdentity): number {
  const known = stores.index.transcript(path);
  if (!known || known.inode !== file.inode || known.headHash !== file.headHash) return 0;
  return known.readOffset > file.size ? 0 : known.readOffset;
}
