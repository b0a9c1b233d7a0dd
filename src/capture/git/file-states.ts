/**
 * Hashes files of a project as git does. Compares size and time before it reads, reads nothing large, and never leaves
 * the project's folder: neither by `..` nor by a link.
 */
import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { readBytesSync } from '../../files/index.ts';

/** Source files are small; larger files are data and take too long to hash. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** A file written this recently may change again within the same clock tick. */
const SETTLED_MS = 50;
const MAX_CACHED = 4096;

/** The hash of a missing file. */
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
  readonly #cache = new Map<string, Stamp>();

  /** Undefined outside of the root, and for links, folders and large files. `budget` counts bytes read. */
  look(root: string, file: string, budget: ReadBudget = new ReadBudget(Infinity)): FileState | undefined {
    const path = inside(root, file);
    if (path === undefined) return undefined;
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (!stat) return rootExists(root) ? { blob: GONE, modifiedAt: 0 } : undefined;
      if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return undefined;
      if (!isBelow(root, path)) return undefined;
      const [size, inode, modifiedAt] = [stat.size, stat.ino, stat.mtimeMs];
      const known = this.#cache.get(path);
      if (known?.size === size && known.modifiedAt === modifiedAt && known.inode === inode) return known;
      if (!budget.take(size)) return undefined;
      const state = { blob: blobHash(readBytesSync(path, MAX_FILE_BYTES)), size, inode, modifiedAt };
      if (Date.now() - modifiedAt > SETTLED_MS) this.#remember(path, state);
      return state;
    } catch {
      return undefined; // no permission, or deleted meanwhile
    }
  }

  #remember(path: string, state: Stamp): void {
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(path, state);
  }
}

/** Limits the bytes that are read for one question. */
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

/** The hash that `git hash-object --no-filters` prints. */
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

/** If the root itself is missing, its files are unknown, not deleted. */
function rootExists(root: string): boolean {
  return lstatSync(root, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
