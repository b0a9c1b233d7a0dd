/** The steps of replacing a file that another program may be writing to: open and read, write a temporary file, compare, rename. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JOURNAL_BYTES, openRegularSync, readOpenSync } from '../../files/index.ts';

/** Prefix of temporary files; a crash may leave some. */
export const TEMP_PREFIX = '.tidemark-write-';

/** Pauses before an empty file is read again. */
const EMPTY_PAUSES_MS = [2, 5, 10, 20];

export interface OpenedFile {
  readonly fd: number;
  readonly inode: bigint;
  readonly bytes: Buffer;
}

export interface Temp {
  readonly path: string;
  readonly fd: number;
}

/** Opens and reads a file. Waits a moment for an empty one: an editor that saves in place empties it first. */
export async function openAndRead(path: string): Promise<OpenedFile | undefined> {
  for (const pause of [...EMPTY_PAUSES_MS, undefined]) {
    const opened = tryOpen(path);
    if (!opened || opened.bytes.length > 0 || pause === undefined) return opened;
    fs.closeSync(opened.fd);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return undefined;
}

/** Temporary files being written. After a machine slept they may look old, but no crash left them. */
const beingWritten = new Set<string>();

export function isBeingWritten(name: string): boolean {
  return beingWritten.has(name);
}

export async function writeTemp(folder: string, text: string | Buffer, sync: boolean): Promise<Temp> {
  const name = TEMP_PREFIX + randomUUID();
  const path = join(folder, name);
  const fd = fs.openSync(path, 'wx', 0o600);
  beingWritten.add(name);
  try {
    fs.writeFileSync(fd, text);
    if (sync) await promisify(fs.fsync)(fd);
    return { path, fd };
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(path, { force: true });
    throw error;
  } finally {
    beingWritten.delete(name);
  }
}

/**
 * Compares and renames without a pause in between; without `temp` it deletes the file. Returns false when another program
 * changed the file. `force` accepts a change in place; a replaced file is never overwritten.
 */
export function replaceFile(
  path: string,
  temp: string | undefined,
  opened: OpenedFile | undefined,
  force: boolean,
): boolean {
  const now = tryOpen(path);
  if (now) fs.closeSync(now.fd);
  if (now?.inode !== opened?.inode) return false;
  if (now && opened && !force && !now.bytes.equals(opened.bytes)) return false;
  if (!temp) fs.rmSync(path, { force: true });
  else if (opened) fs.renameSync(temp, path);
  else return placeNew(temp, path);
  return true;
}

export function readOpened(fd: number, path: string): Buffer {
  return readOpenSync(fd, JOURNAL_BYTES, path);
}

function tryOpen(path: string): OpenedFile | undefined {
  const fd = openIfExists(path);
  if (fd === undefined) return undefined;
  try {
    return { fd, inode: fs.fstatSync(fd, { bigint: true }).ino, bytes: readOpened(fd, path) };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function openIfExists(path: string): number | undefined {
  try {
    return openRegularSync(path).fd;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs throws is an errno error
    throw error;
  }
}

/** A link fails when the file exists meanwhile; a rename would overwrite it. */
function placeNew(temp: string, path: string): boolean {
  try {
    fs.linkSync(temp, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // as above
    fs.renameSync(temp, path); // a file system without links
  }
  return true;
}
