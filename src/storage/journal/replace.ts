/** The single steps of replacing a file that somebody else may be writing to: read and hold, write beside, compare, rename. */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JOURNAL_BYTES, openRegularSync, readOpenSync } from '../../files/index.ts';

/** What a crash in the middle of a write may leave behind. */
export const TEMP_PREFIX = '.tidemark-write-';

/** How long an empty file may take to get its text, in steps. */
const EMPTY_PAUSES_MS = [2, 5, 10, 20];

export interface Held {
  readonly fd: number;
  readonly inode: bigint;
  readonly bytes: Buffer;
}

export interface Temp {
  readonly path: string;
  readonly fd: number;
}

/** A file cut to nothing is most likely being written this instant: an editor that saves in place does so. */
export async function readAndHold(path: string): Promise<Held | undefined> {
  for (const pause of [...EMPTY_PAUSES_MS, undefined]) {
    const held = hold(path);
    if (!held || held.bytes.length > 0 || pause === undefined) return held;
    fs.closeSync(held.fd);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return undefined;
}

/** On its way to the disk: however old it looks to a machine that slept meanwhile, it is nothing a crash left. */
const underWay = new Set<string>();

export function isUnderWay(name: string): boolean {
  return underWay.has(name);
}

export async function writeTemp(folder: string, text: string | Buffer, sync: boolean): Promise<Temp> {
  const name = TEMP_PREFIX + randomUUID();
  const path = join(folder, name);
  const fd = fs.openSync(path, 'wx', 0o600);
  underWay.add(name);
  try {
    fs.writeFileSync(fd, text);
    if (sync) await promisify(fs.fsync)(fd);
    return { path, fd };
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(path, { force: true });
    throw error;
  } finally {
    underWay.delete(name);
  }
}

/**
 * Compare and rename without a pause between; no `temp` takes the file away. False: somebody else was quicker.
 * `insist` goes ahead when the same file was written in place; one that was replaced is never overwritten.
 */
export function replaceFile(
  path: string,
  temp: string | undefined,
  held: Held | undefined,
  insist: boolean,
): boolean {
  const now = hold(path);
  if (now) fs.closeSync(now.fd);
  if (now?.inode !== held?.inode) return false;
  if (now && held && !insist && !now.bytes.equals(held.bytes)) return false;
  if (!temp) fs.rmSync(path, { force: true });
  else if (held) fs.renameSync(temp, path);
  else return placeNew(temp, path);
  return true;
}

export function readHeld(fd: number, path: string): Buffer {
  return readOpenSync(fd, JOURNAL_BYTES, path);
}

function hold(path: string): Held | undefined {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    return { fd, inode: fs.fstatSync(fd, { bigint: true }).ino, bytes: readHeld(fd, path) };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openRegularSync(path).fd;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs throws is an errno error
    throw error;
  }
}

/** A link fails where a file has appeared meanwhile; a rename would overwrite it. */
function placeNew(temp: string, path: string): boolean {
  try {
    fs.linkSync(temp, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // as above
    fs.renameSync(temp, path); // a file system without links
  }
  return true;
}
