/**
 * The journal's files as their one writer here sees them: changed safely, with a catalogue of what stands where that
 * follows, and watched for what others do. Knows which content somebody was told of; knows nothing of what entries mean.
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
import { decodeText } from './format/decode.ts';
import { makeTarget } from './project-folder.ts';
import type { DayContext, FileMark, JournalFile, JournalOptions } from './types.ts';

/** Looking at a thousand files takes milliseconds; doing it with every write made imports slower the longer they ran. */
const LOOK_EVERY_MS = 500;

export class JournalFiles {
  readonly root: string;
  readonly options: JournalOptions;
  readonly safe = new SafeFiles();
  readonly catalogue: Catalogue;
  /** The content of each file somebody outside was told of, or that we wrote ourselves. */
  readonly #told = new Map<string, string>();
  /** What we are writing: watching may see it before the disk has it for good. */
  #landing:
    | { readonly path: string; readonly before: string | null; readonly after: string | null }
    | undefined;
  /** When every file was looked at last, while watching tells what changes in between. */
  #lookedAt = 0;
  #watching = false;
  #last: { readonly path: string; readonly text: string; readonly hash: string } | undefined;

  constructor(root: string, options: JournalOptions) {
    this.root = root;
    this.options = checkedOptions(options);
    this.catalogue = new Catalogue(root, options);
  }

  /**
   * Which entries stand where, as of now. What we write ourselves is known; what others do is told by watching, and
   * looked for all the same now and then. A place that is out of date harms nobody: each file is read before it changes.
   */
  lookAgain(): void {
    if (this.#watching && performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
    this.catalogue.refresh();
    this.#lookedAt = performance.now();
  }

  async change(file: JournalFile, change: Change): Promise<Changed> {
    if (this.options.project === undefined) makeTarget(this.root, file.project);
    const changed = await this.#land(file, change);
    const { before, after } = changed;
    if (before === after) return changed;
    const hash = after === null ? undefined : contentHash(after);
    // What we write on top of an edit nobody was told of is not only ours: watching will tell.
    if (this.#told.get(file.path) === (before === null ? undefined : this.#hashBefore(file, before)))
      this.#tell(file.path, hash);
    this.catalogue.update(file, after === null || hash === undefined ? undefined : { text: after, hash });
    this.#last = { path: file.path, text: after ?? '', hash: hash ?? '' };
    return changed;
  }

  /** A file's mark, if what stands there is known outside: ours, or told. */
  toldMark(path: string): FileMark | undefined {
    const mark = this.catalogue.mark(path);
    return mark && this.#told.get(path) === mark.hash ? mark : undefined;
  }

  list(): readonly JournalFile[] {
    return listFiles(this.root, this.options);
  }

  /** All files with their content's hash, to be compared with what was taken in before. */
  scan(): readonly FileMark[] {
    sweepTemps(this.root, Date.now());
    this.catalogue.refresh();
    const marks = this.catalogue.marks();
    this.#told.clear();
    for (const { path, hash } of marks) this.#told.set(path, hash);
    return marks;
  }

  /** Calls with the path of each file that somebody else changed, made or took away, until the signal. */
  watch(onChange: (path: string) => void, signal: AbortSignal): void {
    mkdirSync(this.root, { recursive: true, mode: 0o700 });
    this.#watching = true;
    signal.addEventListener('abort', () => (this.#watching = false), { once: true });
    watchFolder(this.root, signal, (names) => {
      for (const name of names ?? this.#everything()) this.#seen(name.split(sep).join('/'), onChange);
    });
  }

  text(path: string): string | undefined {
    try {
      return decodeText(readBytesSync(join(this.root, path), JOURNAL_BYTES));
    } catch (error) {
      if (isRefused(error)) return undefined; // a pipe or a folder by the name of a day: no file of the journal
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs throws is an errno error
      throw error;
    }
  }

  /** Takes a path relative to the root, or an absolute one below it. */
  file(path: string): JournalFile {
    const name = (isAbsolute(path) ? relative(this.root, path) : path).split(sep).join('/');
    const file = fileOf(name, this.options.project);
    if (file) return file;
    throw new TidemarkError('journal.not-a-file', `not a file of the journal: ${path}`);
  }

  /** Whether this machine writes to it. What was written before the journal was shared is everybody's. */
  isOwn(file: JournalFile): boolean {
    return file.machine === undefined || file.machine === this.options.machine;
  }

  #seen(path: string, onChange: (path: string) => void): void {
    if (!fileOf(path, this.options.project)) {
      if (isCopy(path)) onChange(path);
      if (!isForgottenList(path)) return;
    }
    const text = this.text(path);
    const hash = text === undefined ? undefined : contentHash(text);
    if (hash === this.#told.get(path)) return;
    const isOurs = this.#isLanding(path, text);
    this.#tell(path, hash);
    if (isOurs) return;
    this.#lookedAt = 0;
    onChange(path);
  }

  /** Whether what stands there is what we are writing, on top of nothing that is still to be told. */
  #isLanding(path: string, text: string | undefined): boolean {
    const landing = this.#landing;
    if (landing?.path !== path || landing.after !== (text ?? null)) return false;
    return this.#told.get(path) === (landing.before === null ? undefined : contentHash(landing.before));
  }

  async #land(file: JournalFile, change: Change): Promise<Changed> {
    let isLanding = true;
    try {
      return await this.safe.change(join(this.root, file.path), (before) => {
        const after = change(before);
        // Later it may be made again on top of what a person wrote, and that is to be told.
        if (isLanding) this.#landing = { path: file.path, before, after };
        return after;
      });
    } finally {
      isLanding = false;
      this.#landing = undefined;
    }
  }

  #tell(path: string, hash: string | undefined): void {
    if (hash === undefined) this.#told.delete(path);
    else this.#told.set(path, hash);
  }

  /** A file we wrote last is most often the one we write next; its hash is known. */
  #hashBefore(file: JournalFile, text: string): string {
    return this.#last?.path === file.path && this.#last.text === text ? this.#last.hash : contentHash(text);
  }

  #everything(): readonly string[] {
    const lists = listForgottenLists(this.root, this.options);
    return [...new Set([...this.list().map(({ path }) => path), ...lists, ...this.#told.keys()])];
  }
}

export function contextOf(file: JournalFile): DayContext {
  return { project: file.project, date: file.date, file: file.path };
}
