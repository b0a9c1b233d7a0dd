/** Lists a folder that we do not control, up to a number of names. A folder with millions of names costs no more. */
import { opendirSync, type Dirent } from 'node:fs';

/** More than any folder of a journal, of transcripts or of a data folder holds; a listing of it is a few megabytes. */
export const MOST_ENTRIES = 100_000;

/** Entries in no particular order, at most `most`. Throws what the system throws (`ENOENT`, `ENOTDIR`). */
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

/** Names in the order of their characters; none where there is no such folder. Throws where it cannot be read. */
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
