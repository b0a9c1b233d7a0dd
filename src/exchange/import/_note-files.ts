/** Lists the Markdown files below a folder. Bounded; follows no links. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf } from '../../agents/index.ts';

const NOTE = /\.(?:md|markdown)$/i;
/** Folders of programs; a name with a dot is hidden. */
const NOT_NOTES = /^(?:\.|node_modules$)/;
const MOST_FILES = 5000;
const MAX_DEPTH = 12;

/** Lists the notes in order of their paths, without hidden names and without a data folder of Tidemark. */
export function notesBelow(folder: string): { readonly files: readonly string[]; readonly isCut: boolean } {
  const files: string[] = [];
  const walk = (place: string, depth: number): void => {
    if (depth > MAX_DEPTH || isOurs(place)) return;
    for (const entry of entriesOf(place)) {
      if (files.length > MOST_FILES) return;
      if (NOT_NOTES.test(entry.name)) continue;
      const path = join(place, entry.name);
      if (entry.isDirectory()) walk(path, depth + 1);
      else if (entry.isFile() && NOTE.test(entry.name)) files.push(path);
    }
  };
  walk(folder, 0);
  return { files: files.slice(0, MOST_FILES), isCut: files.length > MOST_FILES };
}

/** The journal in it is searched anyway. */
function isOurs(folder: string): boolean {
  return ['journal', 'ledger', 'format'].every((name) => existsSync(join(folder, name)));
}
