/**
 * Reads, changes and watches the files of the journal and keeps the catalogue up to date. Remembers which content was
 * reported to the caller, so that only changes by others are reported. Does not interpret entries.
 */
import { mkdirSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { contentHash, TidemarkError } from '../../core/index.ts';
import { isRefused, JOURNAL_BYTES, readBytesSync } from '../../files/index.ts';
import { Catalogue } from './_catalogue.ts';
import { SafeFiles, type Change, type Changed } from './_safe-files.ts';
import { watchFolder } from './_watch.ts';
import {
  checkedOptions,
  fileOf,
  isCopy,
  isForgottenList,
  listFiles,
  listForgottenLists,
  sweepTemps,
} from './folders.ts';
import { decodeText } from './format/text-lines.ts';
import { ensureTarget } from './project-folder.ts';
import type { FileMark, JournalFile, JournalOptions } from './types.ts';

/** Checking a thousand files takes milliseconds; doing it at every write made long imports slow. */
const REFRESH_EVERY_MS = 500;

export class JournalFiles {
  readonly root: string;
  readonly options: JournalOptions;
  readonly safe = new SafeFiles();
  readonly catalogue: Catalogue;
  /** Hash of the content of each file that was reported or that this class wrote. */
  readonly #reported = new Map<string, string>();
  /** The write in progress: the watcher may see it before it is durable. */
  #writing:
    | { readonly path: string; readonly before: string | null; readonly after: string | null }
    | undefined;
  /** Time of the last refresh; in between the watcher reports changes. `-Infinity` while a change is known. */
  #refreshedAt = -Infinity;
  #watching = false;
  #last: { readonly path: string; readonly text: string; readonly hash: string } | undefined;

  constructor(root: string, options: JournalOptions) {
    this.root = root;
    this.options = checkedOptions(options);
    this.catalogue = new Catalogue(root, options);
  }

  /**
   * Updates the catalogue. While the watcher reports changes, this happens only after `everyMs`, or after a change. A stale
   * location does no harm, because each file is read before it is changed.
   */
  refresh(everyMs = REFRESH_EVERY_MS): void {
    if (this.#watching && performance.now() - this.#refreshedAt < everyMs) return;
    this.catalogue.refresh();
    this.#refreshedAt = performance.now();
  }

  async change(file: JournalFile, change: Change): Promise<Changed> {
    if (this.options.project === undefined) ensureTarget(this.root, file.project);
    const changed = await this.#write(file, change);
    const { before, after } = changed;
    if (before === after) return changed;
    const hash = after === null ? undefined : contentHash(after);
    // After an edit that was not reported yet the content is not only ours: the watcher reports it.
    if (this.#reported.get(file.path) === (before === null ? undefined : this.#hashBefore(file, before)))
      this.#setReported(file.path, hash);
    this.catalogue.update(file, after ?? undefined);
    this.#last = { path: file.path, text: after ?? '', hash: hash ?? '' };
    return changed;
  }

  /** Returns a file's mark if its content was reported or written here. */
  reportedMark(path: string): FileMark | undefined {
    const mark = this.catalogue.mark(path);
    return mark && this.#reported.get(path) === mark.hash ? mark : undefined;
  }

  list(): readonly JournalFile[] {
    return listFiles(this.root, this.options);
  }

  /** Returns all files with the hash of their content. */
  scan(): readonly FileMark[] {
    sweepTemps(this.root, Date.now());
    this.catalogue.refresh();
    const marks = this.catalogue.marks();
    this.#reported.clear();
    for (const { path, hash } of marks) this.#reported.set(path, hash);
    return marks;
  }

  /** Calls back with the path of each file that another program changed, created or deleted, until the signal. */
  watch(onChange: (path: string) => void, signal: AbortSignal): void {
    mkdirSync(this.root, { recursive: true, mode: 0o700 });
    this.#watching = true;
    signal.addEventListener('abort', () => (this.#watching = false), { once: true });
    watchFolder(this.root, signal, (names) => {
      for (const name of names ?? this.#allPaths()) this.#onEvent(name.split(sep).join('/'), onChange);
    });
  }

  text(path: string): string | undefined {
    try {
      return decodeText(readBytesSync(join(this.root, path), JOURNAL_BYTES));
    } catch (error) {
      if (isRefused(error)) return undefined; // a pipe or a folder named like a day
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs throws is an errno error
      throw error;
    }
  }

  /** Returns the file of a path, relative to the root or absolute. */
  file(path: string): JournalFile {
    const name = (isAbsolute(path) ? relative(this.root, path) : path).split(sep).join('/');
    const file = fileOf(name, this.options.project);
    if (file) return file;
    throw new TidemarkError('journal.not-a-file', `not a file of the journal: ${path}`);
  }

  /** Reports whether this machine writes to the file. All machines write to files from before the journal was shared. */
  isOwn(file: JournalFile): boolean {
    return file.machine === undefined || file.machine === this.options.machine;
  }

  #onEvent(path: string, onChange: (path: string) => void): void {
    if (!fileOf(path, this.options.project)) {
      if (isCopy(path)) onChange(path);
      if (!isForgottenList(path)) return;
    }
    const text = this.text(path);
    const hash = text === undefined ? undefined : contentHash(text);
    if (hash === this.#reported.get(path)) return;
    const isOurs = this.#isOwnWrite(path, text);
    this.#setReported(path, hash);
    if (isOurs) return;
    this.#refreshedAt = -Infinity;
    onChange(path);
  }

  /** Reports whether this is the text being written, based on content that was already reported. */
  #isOwnWrite(path: string, text: string | undefined): boolean {
    const writing = this.#writing;
    if (writing?.path !== path || writing.after !== (text ?? null)) return false;
    return this.#reported.get(path) === (writing.before === null ? undefined : contentHash(writing.before));
  }

  async #write(file: JournalFile, change: Change): Promise<Changed> {
    let isWriting = true;
    try {
      return await this.safe.change(join(this.root, file.path), (before) => {
        const after = change(before);
        // The change may run again later on top of a user's edit, which has to be reported.
        if (isWriting) this.#writing = { path: file.path, before, after };
        return after;
      });
    } finally {
      isWriting = false;
      this.#writing = undefined;
    }
  }

  #setReported(path: string, hash: string | undefined): void {
    if (hash === undefined) this.#reported.delete(path);
    else this.#reported.set(path, hash);
  }

  /** The file that was written last is often the next one too, and its hash is known. */
  #hashBefore(file: JournalFile, text: string): string {
    return this.#last?.path === file.path && this.#last.text === text ? this.#last.hash : contentHash(text);
  }

  #allPaths(): readonly string[] {
    const lists = listForgottenLists(this.root, this.options);
    return [...new Set([...this.list().map(({ path }) => path), ...lists, ...this.#reported.keys()])];
  }
}
