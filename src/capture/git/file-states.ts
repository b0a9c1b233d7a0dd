/**
 * What files of a project look like now, as git's blob hash. Looks at size and time before it reads, reads nothing large,
 * and never leaves the project's folder: not by `..`, not by a link.
 */
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { readBytesSync } from '../../files/index.ts';

/** Source files are small; what is larger is data, and hashing it would be felt. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** A file written this recently may be written again within the same tick of its clock. */
const SETTLED_MS = 50;
const KEPT = 4096;

/** Empty: there is no such file. */
export const GONE = '';

export interface FileState {
  readonly blob: string;
  readonly modifiedAt: number;
}

interface Stamp extends FileState {
  readonly size: number;
  readonly inode: number;
}

export class FileStates {
  readonly #kept = new Map<string, Stamp>();

  /** Undefined where nothing can be said: outside of the root, a link, a folder, too large. `budget` counts bytes read. */
  look(root: string, file: string, budget: ReadBudget = new ReadBudget(Infinity)): FileState | undefined {
    const path = inside(root, file);
    if (path === undefined) return undefined;
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (!stat) return rootIsThere(root) ? { blob: GONE, modifiedAt: 0 } : undefined;
      if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return undefined;
      if (!isBelow(root, path)) return undefined;
      const [size, inode, modifiedAt] = [stat.size, stat.ino, stat.mtimeMs];
      const known = this.#kept.get(path);
      if (known?.size === size && known.modifiedAt === modifiedAt && known.inode === inode) return known;
      if (!budget.take(size)) return undefined;
      const state = { blob: blobHash(readBytesSync(path, MAX_FILE_BYTES)), size, inode, modifiedAt };
      if (Date.now() - modifiedAt > SETTLED_MS) this.#keep(path, state);
      return state;
    } catch {
      return undefined; // no permission, or gone in between
    }
  }

  #keep(path: string, state: Stamp): void {
    if (this.#kept.size >= KEPT) this.#kept.clear();
    this.#kept.set(path, state);
  }
}

/** Bytes that may be read for one question. */
export class ReadBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** As `git hash-object` gives it. */
export function blobHash(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function inside(root: string, file: string): string | undefined {
  if (file === '' || isAbsolute(file) || file.includes('\0')) return undefined;
  const path = normalize(file);
  return path === '..' || path.startsWith(`..${sep}`) ? undefined : join(root, path);
}

function isBelow(root: string, path: string): boolean {
  return realpathSync(path).startsWith(`${realpathSync(root)}${sep}`);
}

/** Without the folder itself nothing can be said about what is in it. */
function rootIsThere(root: string): boolean {
  return lstatSync(root, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
