/**
 * Files that a person may be editing at the same moment. A change is a function of the text, written by temp file and
 * rename; whatever someone else writes before, during or just after is merged, never overwritten.
 */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { TidemarkError } from '../../core/index.ts';
import { decodeText } from './format/decode.ts';
import { mergeTexts } from './merge/lines.ts';
import { Mutex, syncFolder } from '../../files/index.ts';
import { readAndHold, readHeld, replaceFile, writeTemp, type Held } from './replace.ts';

/** The new text from the present one; `null` is no file. The same text back means nothing to do. */
export type Change = (text: string | null) => string | null;

export interface Changed {
  readonly before: string | null;
  readonly after: string | null;
}

/** An editor that opened the file before our rename may still write to the old one; it has had time by then. */
const GRACE_MS = 2000;
/** Replaced files watched at once. Beyond, the oldest get their last look earlier: descriptors and memory are finite. */
const MOST_GHOSTS = 48;
const MOST_GHOST_BYTES = 16 * 1024 * 1024;
/** After this many disturbed tries nothing slow stands between reading and renaming: the file is synced just after. */
const CALM_TRIES = 3;
/** After this many the write goes ahead: what is written in place meanwhile is merged afterwards. */
const PATIENT_TRIES = 8;
const MOST_TRIES = 200;
/** How often replaced files are gone through until nobody has written to any; an editor that never rests has to wait. */
const MOST_ROUNDS = 50;

/** A file we replaced, still open, in case someone writes to it. */
interface Ghost {
  readonly path: string;
  readonly fd: number;
  readonly until: number;
  /** What it held when we last looked. */
  base: Buffer;
  /** Our changes since, as long as nothing else changed the file: then they can be made again on what was written. */
  changes: Change[] | undefined;
  written: string | null;
}

export class SafeFiles {
  #ghosts: Ghost[] = [];
  readonly #changes = new Mutex();
  #timer: NodeJS.Timeout | undefined;

  /** One change at a time, whichever the file. */
  change(path: string, change: Change): Promise<Changed> {
    return this.#changes.run(async () => {
      const changed = await this.#change(path, change);
      // What was written between our compare and our rename is merged at once.
      await this.#mergeLate(this.#ghosts.slice(-1));
      if (this.#tooMany()) await this.#letGo(this.#ghosts.slice(0, this.#ghosts.length / 2));
      return changed;
    });
  }

  /** Merges what was written to replaced files up to now. */
  settle(): Promise<void> {
    return this.#changes.run(async () => {
      for (let round = 0; round < MOST_ROUNDS && (await this.#mergeLate(this.#ghosts)); round++);
    });
  }

  /** The last look at replaced files; afterwards nothing is open and no timer runs. */
  async close(): Promise<void> {
    await this.settle();
    await this.#changes.run(async () => {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      for (const { fd } of this.#ghosts.splice(0)) fs.closeSync(fd);
    });
  }

  async #change(named: string, change: Change, merging = false): Promise<Changed> {
    const path = realPath(named);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const held = await readAndHold(path);
      let haunts = false;
      try {
        const before = held ? this.#sameString(path, decodeText(held.bytes)) : null;
        const after = change(before);
        if (after === before) return { before, after };
        if (!(await write(path, after, held, tries))) continue;
        this.#note(path, before, after, merging ? undefined : change);
        haunts = held !== undefined;
        if (held) this.#keepGhost(path, held, after, merging ? undefined : [change]);
        return { before, after };
      } finally {
        if (held && !haunts) fs.closeSync(held.fd);
      }
    }
    throw new TidemarkError('journal.busy', `${named} keeps changing`, {
      hint: 'something writes to this file all the time: stop it, then try again',
    });
  }

  #keepGhost(path: string, { fd, bytes }: Held, written: string | null, changes: Change[] | undefined): void {
    this.#ghosts.push({ path, fd, until: Date.now() + GRACE_MS, base: bytes, changes, written });
    this.#lookLater();
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

  /** The string we wrote, if the file still holds it: comparing it with itself costs nothing, however long it is. */
  #sameString(path: string, text: string): string {
    const written = this.#ghosts.findLast((ghost) => ghost.path === path)?.written;
    return written === text ? written : text;
  }

  #tooMany(): boolean {
    const bytes = this.#ghosts.reduce((sum, ghost) => sum + ghost.base.length, 0);
    return this.#ghosts.length > MOST_GHOSTS || (this.#ghosts.length > 1 && bytes > MOST_GHOST_BYTES);
  }

  /** Closes those of the ghosts nobody writes to any more. */
  async #letGo(ghosts: readonly Ghost[]): Promise<void> {
    await this.#mergeLate(ghosts);
    for (const ghost of ghosts) {
      if (lateBytes(ghost)) continue;
      fs.closeSync(ghost.fd);
      this.#ghosts.splice(this.#ghosts.indexOf(ghost), 1);
    }
  }

  /** All that is new in these ghosts in one change for each file. True: there was something. */
  async #mergeLate(ghosts: readonly Ghost[]): Promise<boolean> {
    const late = ghosts.flatMap((ghost) => {
      const bytes = lateBytes(ghost);
      return bytes ? [{ ghost, bytes, text: decodeText(bytes), old: decodeText(ghost.base) }] : [];
    });
    for (const path of new Set(late.map(({ ghost }) => ghost.path))) {
      const here = late.filter(({ ghost }) => ghost.path === path);
      const again = new Set<Ghost>();
      const merge: Change = (current) => {
        again.clear();
        return here.reduce<string | null>((text, { ghost, text: theirs, old }) => {
          if (!ghost.changes || text !== ghost.written) return mergeTexts(old, text ?? '', theirs);
          again.add(ghost);
          return ghost.changes.reduce<string | null>((next, change) => change(next), theirs);
        }, current);
      };
      const kept = new Map(here.map(({ ghost }) => [ghost, ghost.changes]));
      const { after } = await this.#change(path, merge, true);
      for (const { ghost, bytes } of here) {
        ghost.base = bytes;
        ghost.written = after;
        ghost.changes = here.length === 1 && again.has(ghost) ? kept.get(ghost) : undefined;
      }
    }
    return late.length > 0;
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#changes
        .run(async () => {
          await this.#mergeLate(this.#ghosts);
          const now = Date.now();
          await this.#letGo(this.#ghosts.filter(({ until }) => until <= now));
          if (this.#ghosts.length > 0) this.#lookLater();
        })
        .catch(() => this.#lookLater()); // a full disk is told by the next change; what is late stays to be merged
    }, GRACE_MS / 2).unref();
  }
}

/** What somebody has written to a ghost since we looked. */
function lateBytes(ghost: Ghost): Buffer | undefined {
  const bytes = readHeld(ghost.fd, ghost.path);
  return bytes.equals(ghost.base) ? undefined : bytes;
}

async function write(
  path: string,
  text: string | null,
  held: Held | undefined,
  tries: number,
): Promise<boolean> {
  const calm = tries < CALM_TRIES;
  const temp = text === null ? undefined : await writeTemp(dirname(path), text, calm);
  try {
    if (!replaceFile(path, temp?.path, held, tries >= PATIENT_TRIES)) return false;
    if (temp && !calm) fs.fsyncSync(temp.fd);
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
    return path; // not there yet
  }
}
