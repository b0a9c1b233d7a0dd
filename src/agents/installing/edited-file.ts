/**
 * Edits a file that belongs to the user, and restores it byte for byte. A copy from before the first edit is stored in the
 * data folder, readable only by the user, until the edit is taken back.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { TidemarkError, type Places } from '../../core/index.ts';
import { makeFolderSync, readTextSync, writeAtomicallySync } from '../../files/index.ts';

/** Settings are small; a larger file is none. */
const MAX_BYTES = 16 * 1024 * 1024;

interface Copy {
  readonly file: string;
  readonly at: string;
  /** Null if there was no file. */
  readonly before: string | null;
  /** Our last edit. */
  readonly after: string;
  /** Folders that were created for the file, the innermost first. */
  readonly folders: readonly string[];
  /** The user has changed the file between two edits of ours, so `before` lacks something of theirs. */
  readonly isChanged: boolean;
}

export class EditedFile {
  readonly path: string;
  readonly #copies: string;
  readonly #copy: string;

  constructor(places: Pick<Places, 'before'>, path: string) {
    this.path = path;
    this.#copies = places.before;
    this.#copy = join(places.before, `${createHash('sha256').update(path).digest('hex').slice(0, 12)}.json`);
  }

  /** Null if there is no file. */
  read(): string | null {
    return existsSync(this.path) ? readTextSync(this.path, MAX_BYTES) : null;
  }

  /**
   * Returns whether the text changed. A second edit keeps the first copy, the only one without our parts, unless the user has
   * deleted the file since.
   */
  write(text: string): boolean {
    const now = this.read();
    if (now === text) return false;
    this.#refuseBrokenLink();
    const known = now === null ? undefined : this.#stored();
    const isTheirs = known !== undefined && now !== known.after && now !== known.before;
    const copy: Copy = {
      file: this.path,
      at: new Date().toISOString(),
      before: known ? known.before : now,
      after: text,
      folders: known?.folders ?? missingFolders(dirname(this.path)),
      isChanged: isTheirs || known?.isChanged === true,
    };
    mkdirSync(this.#copies, { recursive: true, mode: 0o700 });
    writeAtomicallySync(this.#copy, JSON.stringify(copy)); // first: without it there is no way back
    this.#put(text);
    return true;
  }

  /**
   * Takes our edit back. If the user has changed the file since, `without` removes only our parts. Returns whether the file
   * changed. Folders that were created for the file go if they are empty.
   */
  restore(without: (text: string) => string): boolean {
    const now = this.read();
    const copy = this.#stored();
    const isAsBefore = copy !== undefined && now === copy.after && !copy.isChanged;
    const text = now === null ? null : isAsBefore ? copy.before : this.#cleaned(without(now), copy);
    const isChanged = text !== now;
    if (isChanged && text === null) rmSync(this.path, { force: true });
    else if (isChanged && text !== null) this.#put(text);
    for (const folder of copy?.folders ?? []) removeIfEmpty(folder);
    rmSync(this.#copy, { force: true });
    removeIfEmpty(this.#copies);
    return isChanged;
  }

  /** A file that we created and that holds nothing of the user's goes. */
  #cleaned(text: string, copy: Copy | undefined): string | null {
    const isEmpty = /^\s*(?:\{\s*\})?\s*$/.test(text);
    return isEmpty && copy?.before === null ? null : text;
  }

  #stored(): Copy | undefined {
    try {
      const copy = JSON.parse(readFileSync(this.#copy, 'utf8')) as Partial<Copy>;
      const { before = null, after, folders = [], at = '', isChanged = false } = copy;
      return typeof after === 'string'
        ? { file: this.path, at, before, after, folders, isChanged }
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** A file in the place of the link would be ours alone, and its removal would take the user's link along. */
  #refuseBrokenLink(): void {
    const isLink = lstatSync(this.path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isLink && !existsSync(this.path))
      throw new TidemarkError('settings-unreadable', `${this.path} is a link to a file that does not exist`, {
        hint: 'Create the file that it names, or remove the link, and try again.',
      });
  }

  /** Writes through a link, because users link their settings, and keeps the file's mode. */
  #put(text: string): void {
    const real = existsSync(this.path) ? realpathSync(this.path) : this.path;
    const mode = statSync(real, { throwIfNoEntry: false })?.mode ?? 0o600;
    makeFolderSync(dirname(real));
    writeAtomicallySync(real, text, { mode: mode & 0o777 });
  }
}

function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  return missing;
}

/** Removes a folder that is empty; leaves any other, and one that is missing. */
export function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
