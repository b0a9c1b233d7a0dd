/**
 * Changes files that the user may be editing at the same time. A change is a function of the text, written by temporary
 * file and rename; writes of others before, during or shortly after it are merged, never overwritten.
 */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { decodeText } from './format/text-lines.ts';
import { mergeTexts } from './merge/lines.ts';
import { Mutex, syncFolder } from '../../files/index.ts';
import { openAndRead, readOpened, replaceFile, writeTemp, type OpenedFile } from './replace.ts';

/** Returns the new text from the current one; `null` is no file. The same text means no change. */
export type Change = (text: string | null) => string | null;

export interface Changed {
  readonly before: string | null;
  readonly after: string | null;
}

/** An editor that opened the file before the rename may still write to the old one for this long. */
const GRACE_MS = 2000;
/** Limits for replaced files kept open. Beyond them the oldest are checked a last time and closed. */
const MAX_REPLACED = 48;
const MAX_REPLACED_BYTES = 16 * 1024 * 1024;
/** After this many failed tries the file is synced after the rename, so that nothing slow is between reading and renaming. */
const SYNC_FIRST_TRIES = 3;
/** After this many tries the write is forced: changes in place are merged afterwards. */
const UNFORCED_TRIES = 8;
const MAX_TRIES = 200;
/** Most rounds over the replaced files while an editor keeps writing to them. */
const MAX_ROUNDS = 50;

/** A file that was replaced, still open because an editor may write to it. */
interface ReplacedFile {
  readonly path: string;
  readonly fd: number;
  readonly until: number;
  /** Content at the last check. */
  base: Buffer;
  /** Changes since then, while no other program changed the file: they can be applied again to a late write. */
  changes: Change[] | undefined;
  written: string | null;
}

export class SafeFiles {
  #replaced: ReplacedFile[] = [];
  readonly #changes = new Mutex();
  #timer: NodeJS.Timeout | undefined;

  /** Runs one change at a time over all files. */
  change(path: string, change: Change): Promise<Changed> {
    return this.#changes.run(async () => {
      const changed = await this.#change(path, change);
      // A write between the comparison and the rename is merged at once.
      await this.#mergeLate(this.#replaced.slice(-1));
      if (this.#tooMany()) await this.#release(this.#replaced.slice(0, this.#replaced.length / 2));
      return changed;
    });
  }

  /** Merges late writes to replaced files. */
  settle(): Promise<void> {
    return this.#changes.run(async () => {
      for (let round = 0; round < MAX_ROUNDS && (await this.#mergeLate(this.#replaced)); round++);
    });
  }

  /** Checks replaced files a last time; afterwards nothing is open and no timer runs. */
  async close(): Promise<void> {
    await this.settle();
    await this.#changes.run(async () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      for (const { fd } of this.#replaced.splice(0)) fs.closeSync(fd);
    });
  }

  async #change(named: string, change: Change, merging = false): Promise<Changed> {
    const path = realPath(named);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const opened = await openAndRead(path);
      let staysOpen = false;
      try {
        const before = opened ? this.#sameString(path, decodeText(opened.bytes)) : null;
        const after = change(before);
        if (after === before) return { before, after };
        if (!(await write(path, after, opened, tries))) continue;
        this.#note(path, before, after, merging ? undefined : change);
        staysOpen = opened !== undefined;
        if (opened) this.#addReplaced(path, opened, after, merging ? undefined : [change]);
        return { before, after };
      } finally {
        if (opened && !staysOpen) fs.closeSync(opened.fd);
      }
    }
    throw new TidemarkError('journal.busy', `${named} keeps changing`, {
      hint: 'another program writes to this file all the time: stop it, then try again',
    });
  }

  #addReplaced(
    path: string,
    { fd, bytes }: OpenedFile,
    written: string | null,
    changes: Change[] | undefined,
  ): void {
    this.#replaced.push({ path, fd, until: Date.now() + GRACE_MS, base: bytes, changes, written });
    this.#checkLater();
  }

  /** Remembers a change, so that it can be applied again to a late write, unless another program changed the file. */
  #note(path: string, before: string | null, after: string | null, change: Change | undefined): void {
    for (const file of this.#replaced) {
      if (file.path !== path) continue;
      if (change && file.written === before) file.changes?.push(change);
      else file.changes = undefined;
      file.written = after;
    }
  }

  /** Returns the string object that was written if it is equal, because comparing it with itself is cheap. */
  #sameString(path: string, text: string): string {
    const written = this.#replaced.findLast((file) => file.path === path)?.written;
    return written === text ? written : text;
  }

  #tooMany(): boolean {
    const bytes = this.#replaced.reduce((sum, file) => sum + file.base.length, 0);
    return this.#replaced.length > MAX_REPLACED || (this.#replaced.length > 1 && bytes > MAX_REPLACED_BYTES);
  }

  /** Closes those of the files that have no late write. */
  async #release(files: readonly ReplacedFile[]): Promise<void> {
    await this.#mergeLate(files);
    for (const file of files) {
      if (lateBytes(file)) continue;
      fs.closeSync(file.fd);
      this.#replaced.splice(this.#replaced.indexOf(file), 1);
    }
  }

  /** Merges the late writes to these files, in one change per path. Returns whether there were any. */
  async #mergeLate(files: readonly ReplacedFile[]): Promise<boolean> {
    const late = files.flatMap((file) => {
      const bytes = lateBytes(file);
      return bytes ? [{ file, bytes, text: decodeText(bytes), old: decodeText(file.base) }] : [];
    });
    for (const path of new Set(late.map(({ file }) => file.path))) {
      const here = late.filter(({ file }) => file.path === path);
      const reapplied = new Set<ReplacedFile>();
      const merge: Change = (current) => {
        reapplied.clear();
        return here.reduce<string | null>((text, { file, text: theirs, old }) => {
          if (!file.changes || text !== file.written) return mergeTexts(old, text ?? '', theirs);
          reapplied.add(file);
          return file.changes.reduce<string | null>((next, change) => change(next), theirs);
        }, current);
      };
      const changes = new Map(here.map(({ file }) => [file, file.changes]));
      const { after } = await this.#change(path, merge, true);
      for (const { file, bytes } of here) {
        file.base = bytes;
        file.written = after;
        file.changes = here.length === 1 && reapplied.has(file) ? changes.get(file) : undefined;
      }
    }
    return late.length > 0;
  }

  #checkLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#changes
        .run(async () => {
          await this.#mergeLate(this.#replaced);
          const now = Date.now();
          await this.#release(this.#replaced.filter(({ until }) => until <= now));
          if (this.#replaced.length > 0) this.#checkLater();
        })
        .catch(() => this.#checkLater()); // the next change reports a full disk; late writes are merged later
    }, GRACE_MS / 2).unref();
  }
}

/** Returns the content of a replaced file if it changed since the last check. */
function lateBytes(file: ReplacedFile): Buffer | undefined {
  const bytes = readOpened(file.fd, file.path);
  return bytes.equals(file.base) ? undefined : bytes;
}

async function write(
  path: string,
  text: string | null,
  opened: OpenedFile | undefined,
  tries: number,
): Promise<boolean> {
  const syncFirst = tries < SYNC_FIRST_TRIES;
  const temp = text === null ? undefined : await writeTemp(dirname(path), text, syncFirst);
  try {
    if (!replaceFile(path, temp?.path, opened, tries >= UNFORCED_TRIES)) return false;
    if (temp && !syncFirst) fs.fsyncSync(temp.fd);
  } finally {
    if (temp) {
      fs.closeSync(temp.fd);
      fs.rmSync(temp.path, { force: true });
    }
  }
  await syncFolder(dirname(path));
  return true;
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path; // does not exist yet
  }
}
