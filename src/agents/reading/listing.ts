/** Lists the files of a client without following links, and says why one cannot be read. */
import type { Dirent } from 'node:fs';
import { FILE_TOO_LARGE, isRefused, listFolderSync } from '../../files/index.ts';
import type { TranscriptFile } from '../transcript.ts';

/** Entries of a folder by name, links included; empty if it cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return listFolderSync(folder).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

export function newestFirst(files: readonly TranscriptFile[]): readonly TranscriptFile[] {
  return files.toSorted((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
}

/** Why an entry that is named like a transcript is not read. */
export function refusalOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link; links are not followed';
  return entry.isDirectory() ? 'a folder' : 'not a regular file';
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'not found, or a broken link',
  ELOOP: 'a link to itself',
};

/** Why a file cannot be read. `limit`: the largest size in bytes that is read. */
export function whyNot(error: unknown, limit?: number): string {
  if (isRefused(error)) {
    const size = limit === undefined ? 'too large' : `larger than ${limit / 1024 / 1024} MB`;
    return error.code === FILE_TOO_LARGE ? `${size}, skipped` : 'not a regular file';
  }
  const { code, message } = error as NodeJS.ErrnoException; // what fs throws is an errno error
  return REASONS[code ?? ''] ?? message ?? String(error);
}
