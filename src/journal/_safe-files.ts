/**
 * Files that a person may be editing at the same moment. A change is a function of the text, written by temp file and
 * rename; whatever someone else writes before, during or just after is merged, never overwritten.
 */
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TidemarkError } from '../model/index.ts';
import { decodeText } from './_decode.ts';
import { mergeTexts } from './_merge.ts';

/** What a crash in the middle of a write may leave behind. */
export const TEMP_PREFIX = '.tidemark-write-';

/** The new text from the present one; `null` is no file. The same text back means nothing to do. */
export type Change = (text: string | null) => string | null;

export interface Changed {
  readonly before: string | null;
  readonly after: string | null;
}

/** An editor that opened the file before our rename may still write to the old one; it has had time by then. */
const GRACE_MS = 2000;
/** Replaced files watched at once. More are checked for the last time earlier: file descriptors are few. */
const MOST_GHOSTS = 48;
/** After this many disturbed tries the write goes ahead: what is written in place meanwhile is merged afterwards. */
const PATIENT_TRIES = 20;
const MOST_TRIES = 200;

/** A file we replaced, still open, in case someone writes to it. */
interface Ghost {
  readonly path: string;
  readonly fd: number;
  readonly until: number;
  /** Its text when we last looked. */
  base: string;
  /** Our changes since, as long as nothing else changed the file; then they can be made again on what was written. */
  changes: Change[] | undefined;
  written: string | null;
}

interface Held {
  readonly fd: number;
  readonly inode: bigint;
  readonly bytes: Buffer;
  readonly text: string;
}

export class SafeFiles {
  #ghosts: Ghost[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** One change at a time, whichever the file. */
  change(path: string, change: Change): Promise<Changed> {
    return this.#enqueue(async () => {
      await this.#mergeLateWrites(false);
      return this.#change(path, change);
    });
  }

  /** Merges what was written to replaced files up to now. */
  settle(): Promise<void> {
    return this.#enqueue(() => this.#mergeLateWrites(true));
  }

  /** The last look at replaced files; afterwards nothing is open and no timer runs. */
  close(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#mergeLateWrites(true);
      clearTimeout(this.#timer);
      this.#timer = undefined;
      for (const { fd } of this.#ghosts.splice(0)) fs.closeSync(fd);
    });
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#queue.then(task);
    this.#queue = run.catch(() => undefined); // the caller of this task hears of it, the next task runs anyway
    return run;
  }

  async #change(named: string, change: Change, merging = false): Promise<Changed> {
    const path = realPath(named);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const held = await readPatiently(path);
      const before = held?.text ?? null;
      const after = change(before);
      if (after === before) {
        if (held) fs.closeSync(held.fd);
        return { before, after };
      }
      const temp = after === null ? undefined : await this.#writeTemp(path, after);
      if (!this.#replace(path, temp, held, tries >= PATIENT_TRIES)) continue;
      await syncFolder(dirname(path));
      this.#note(path, before, after, merging ? undefined : change);
      if (held)
        await this.#keepGhost({ path, fd: held.fd, base: held.text, changes: [change], written: after });
      return { before, after };
    }
    throw new TidemarkError('journal.busy', `${named} keeps changing`, {
      hint: 'something writes to this file all the time: stop it, then try again',
    });
  }

  /** Compare and rename without a pause between. False: somebody else was quicker. */
  #replace(path: string, temp: string | undefined, held: Held | undefined, insist: boolean): boolean {
    const give = (): false => {
      if (temp) fs.rmSync(temp, { force: true });
      if (held) fs.closeSync(held.fd);
      return false;
    };
    const now = look(path);
    if (now?.inode !== held?.inode) return give();
    if (now && held && !insist && !now.bytes.equals(held.bytes)) return give();
    if (!temp) fs.rmSync(path, { force: true });
    else if (held) fs.renameSync(temp, path);
    else if (!placeNew(temp, path)) return give();
    return true;
  }

  async #writeTemp(path: string, text: string): Promise<string> {
    const temp = join(dirname(path), TEMP_PREFIX + randomUUID());
    const file = await open(temp, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    return temp;
  }

  /** Only while nothing but our own changes came after a ghost can they be made again on top of it. */
  #note(path: string, before: string | null, after: string | null, change: Change | undefined): void {
    for (const ghost of this.#ghosts) {
      if (ghost.path !== path) continue;
      if (change && ghost.written === before) ghost.changes?.push(change);
      else ghost.changes = undefined;
      ghost.written = after;
    }
  }

  async #keepGhost(ghost: Omit<Ghost, 'until'>): Promise<void> {
    const kept = { ...ghost, until: Date.now() + GRACE_MS };
    this.#ghosts.push(kept);
    await this.#mergeInto(kept);
    while (this.#ghosts.length > MOST_GHOSTS) await this.#letGo(this.#ghosts[0]);
    this.#watchLater();
  }

  async #letGo(ghost: Ghost | undefined): Promise<void> {
    if (!ghost) return;
    await this.#mergeInto(ghost);
    this.#ghosts = this.#ghosts.filter((other) => other !== ghost);
    fs.closeSync(ghost.fd);
  }

  async #mergeLateWrites(all: boolean): Promise<void> {
    const now = Date.now();
    for (const ghost of this.#ghosts.slice()) {
      if (ghost.until <= now) await this.#letGo(ghost);
      else if (all) await this.#mergeInto(ghost);
    }
  }

  async #mergeInto(ghost: Ghost): Promise<void> {
    const text = decodeText(readAll(ghost.fd));
    if (text === ghost.base) return;
    const { base, changes, written } = ghost;
    let again = false;
    ghost.base = text;
    const { after } = await this.#change(
      ghost.path,
      (current) => {
        again = changes !== undefined && current === written;
        if (changes && again) return changes.reduce<string | null>((next, change) => change(next), text);
        return mergeTexts(base, current ?? '', text);
      },
      true,
    );
    ghost.changes = again ? changes : undefined;
    ghost.written = after;
  }

  #watchLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#enqueue(() => this.#mergeLateWrites(true)).catch(() => undefined); // a full disk now is told by the next change
      if (this.#ghosts.length > 0) this.#watchLater();
    }, GRACE_MS / 2).unref();
  }
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}

/** A file cut to nothing is most likely being written this instant: an editor that saves in place does so. */
async function readPatiently(path: string): Promise<Held | undefined> {
  const pauses = [2, 5, 10, 20];
  for (;;) {
    const held = look(path, true);
    const pause = held?.bytes.length === 0 ? pauses.shift() : undefined;
    if (!held || pause === undefined) return held;
    fs.closeSync(held.fd);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function look(path: string, keep = false): Held | undefined {
  const fd = openIfThere(path);
  if (fd === undefined) return undefined;
  try {
    const bytes = readAll(fd);
    const found = {
      fd,
      inode: fs.fstatSync(fd, { bigint: true }).ino,
      bytes,
      text: keep ? decodeText(bytes) : '',
    };
    if (!keep) fs.closeSync(fd);
    return found;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return fs.openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs throws is an errno error
    throw error;
  }
}

function readAll(fd: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const chunk = Buffer.allocUnsafe(Math.max(64 * 1024, fs.fstatSync(fd).size - at + 1));
    const read = fs.readSync(fd, chunk, 0, chunk.length, at);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    at += read;
  }
}

/** A link fails where a file has appeared meanwhile; a rename would overwrite it. */
function placeNew(temp: string, path: string): boolean {
  try {
    fs.linkSync(temp, path);
    fs.rmSync(temp, { force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // as above
    fs.renameSync(temp, path); // a file system without links
    return true;
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
