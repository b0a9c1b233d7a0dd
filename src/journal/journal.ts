/**
 * The journal on disk: the Markdown files that are the truth. Writes memories where they belong and reads what a person
 * made of them. It never overwrites a person's edit, and never decides whether an entry that is gone should come back.
 */
import { readFileSync, mkdirSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { contentHash, PERSONAL_PROJECT, TidemarkError, type Memory } from '../model/index.ts';
import { Catalogue } from './_catalogue.ts';
import { adoptIn, dropSessionFrom, handsIn, patchIn, removeFrom, replaceIn, restateIn } from './_change.ts';
import { decodeText } from './_decode.ts';
import { foldDay, type Folded } from './_fold.ts';
import {
  checkedOptions,
  dayPath,
  fileOf,
  isCopy,
  isForgottenList,
  listFiles,
  listForgottenLists,
  monthPath,
  pagePath,
  sweepTemps,
} from './_folders.ts';
import { dateOf } from './_heading.ts';
import { putInto, type PutOutcome } from './_put.ts';
import { SafeFiles, type Changed } from './_safe-files.ts';
import { Shared } from './_shared.ts';
import { watchFolder } from './_watch.ts';
import { parseDay } from './parse.ts';
import { isAway, makeTarget } from './project-folder.ts';
import { tidyHead, tidyMemory } from './tidy.ts';
import type {
  ArchiveReport,
  DayContext,
  FileMark,
  Hand,
  JournalFile,
  JournalOptions,
  JournalProblem,
  MemoryPatch,
  ParsedDay,
  Place,
  PutOptions,
  PutResult,
  SessionHead,
  SharedTombstone,
  StateChange,
} from './types.ts';

/** Looking at a thousand files takes milliseconds; doing it with every write made imports slower the longer they ran. */
const LOOK_EVERY_MS = 500;

export interface Found extends Place {
  readonly memory: Memory;
  /** Absolute, to be opened in an editor. */
  readonly file: string;
}

interface Work {
  readonly file: JournalFile;
  readonly memories: { readonly memory: Memory; readonly known: boolean }[];
  readonly heads: SessionHead[];
}

export class Journal {
  readonly root: string;
  readonly #options: JournalOptions;
  readonly #files = new SafeFiles();
  readonly #catalogue: Catalogue;
  readonly #shared: Shared;
  /** The content of each file somebody outside was told of, or that we wrote ourselves. */
  readonly #told = new Map<string, string>();
  /** When every file was looked at last, while watching tells what changes in between. */
  #lookedAt = 0;
  #watching = false;
  #last: { readonly path: string; readonly text: string; readonly hash: string } | undefined;

  constructor(root: string, options: JournalOptions = {}) {
    this.root = root;
    this.#options = checkedOptions(options);
    this.#catalogue = new Catalogue(root, options);
    this.#shared = new Shared({
      root,
      options,
      files: this.#files,
      isOwn: (file) => this.#isOwn(file),
      change: (file, change) => this.#change(file, change),
    });
  }

  /**
   * Brings memories and session heads into their files. Idempotent: the same again touches nothing, any order gives the
   * same files. What a person edited keeps its text; what stands in another machine's file is left to that machine.
   */
  async put(
    memories: readonly Memory[],
    heads: readonly SessionHead[],
    { absent = () => 'make' }: PutOptions = {},
  ): Promise<PutResult> {
    this.#lookAgain();
    const skipped: string[] = [];
    const work = new Map<string, Work>();
    const at = (path: string): Work => {
      const known = work.get(path);
      if (known) return known;
      const made = { file: this.#file(path), memories: [], heads: [] };
      work.set(path, made);
      return made;
    };
    const tidyHeads = heads.map(tidyHead);
    for (const memory of memories.map(tidyMemory)) {
      const there = this.#catalogue.find(memory.id);
      const own = there ? this.#isOwn(there.file) : absent(memory.id) === 'make';
      if (!own) skipped.push(memory.id);
      else {
        const target = at(there?.path ?? dayPath(memory.project, dateOf(memory.at), this.#options));
        target.memories.push({ memory, known: there !== undefined });
        const head = tidyHeads.find(({ id }) => id === memory.provenance.session);
        if (head && memory.project !== PERSONAL_PROJECT && !target.heads.includes(head))
          target.heads.push(head);
      }
    }
    for (const head of tidyHeads) {
      for (const path of this.#pathsOf(head, memories)) {
        const target = at(path);
        if (!target.heads.includes(head)) target.heads.push(head);
      }
    }
    return this.#write([...work.values()], skipped);
  }

  /** Takes entries out of every file they stand in. Gives the ids that were found. */
  async remove(ids: readonly string[]): Promise<readonly string[]> {
    this.#lookAgain();
    const wanted = new Set(ids);
    const found = ids.filter((id) => this.#catalogue.find(id) !== undefined);
    for (const file of this.#catalogue.filesOf(ids)) {
      await this.#change(file, (text) => (text === null ? null : removeFrom(text, wanted, contextOf(file))));
    }
    return found;
  }

  /** Takes away what stands about a session, title and summary; its entries stay. */
  async dropSession(id: string): Promise<void> {
    this.#lookAgain();
    for (const file of this.#catalogue.filesOfSession(id)) {
      await this.#change(file, (text) => (text === null ? null : dropSessionFrom(text, id, contextOf(file))));
    }
  }

  /** A person's word on an entry's state: it stays, whatever is distilled later. False: there is no such entry. */
  setState(id: string, change: StateChange): Promise<boolean> {
    return this.#changeEntry(id, (text, file) => restateIn(text, id, change, contextOf(file)));
  }

  /** A person's new text for an entry: it stays, whatever is distilled later. False: there is no such entry. */
  update(id: string, patch: MemoryPatch): Promise<boolean> {
    return this.#changeEntry(id, (text, file) => patchIn(text, id, patch, contextOf(file)));
  }

  /**
   * An entry as it came from another machine: into the file of that machine, or in place of what stands here under its
   * id. Its text then counts as a person's. Gives back what the journal holds now; nothing where what stands there is no
   * longer what was `seen`.
   */
  async take(
    memory: Memory,
    machine: string | undefined,
    seen: Memory | undefined,
  ): Promise<Found | undefined> {
    this.#lookAgain();
    const tidy = tidyMemory(memory);
    const place = this.#catalogue.find(memory.id);
    const options = { ...this.#options, ...(machine === undefined ? {} : { machine }) };
    const file =
      place?.file ?? this.#file(dayPath(memory.project, dateOf(memory.at), checkedOptions(options)));
    let isTaken = true;
    await this.#change(file, (text) => {
      if (text === null || !place)
        return putInto(text, { memories: [{ memory: tidy, known: false }], heads: [] }, contextOf(file)).text;
      const next = replaceIn(text, tidy, seen, contextOf(file));
      isTaken = next !== undefined;
      return next ?? text;
    });
    return isTaken ? this.find(memory.id) : undefined;
  }

  /** Its file holds no id for it yet: the one it goes by is derived from its text. */
  isUnnamed(id: string): boolean {
    this.#lookAgain();
    const place = this.#catalogue.find(id);
    if (!place) return true;
    return this.read(place.path).entries.some((entry) => entry.memory.id === id && entry.derived);
  }

  /** Changes with every change of a project's files. */
  stampOf(project: string): string {
    this.#lookAgain();
    const marks = this.#catalogue.marks().filter(({ path }) => this.#file(path).project === project);
    return contentHash(marks.map(({ path, hash }) => `${path} ${hash}`).join('\n'));
  }

  /** The machine that writes the file an entry stands in: none where that is this one. False: it stands in no file. */
  homeOf(id: string): string | undefined | false {
    this.#lookAgain();
    const place = this.#catalogue.find(id);
    if (!place) return false;
    return this.#isOwn(place.file) ? undefined : place.file.machine;
  }

  /** Writes ids for entries made by hand, so that they survive the next edit. False: there was nothing to do. */
  async adopt(path: string): Promise<boolean> {
    const file = this.#file(path);
    const { before, after } = await this.#change(file, (text) => text && adoptIn(text, contextOf(file)));
    return before !== after;
  }

  find(id: string): Found | undefined {
    this.#lookAgain();
    const place = this.#catalogue.find(id);
    if (!place) return undefined;
    const entry = this.read(place.path).entries.find(({ memory }) => memory.id === id);
    return (
      entry && {
        id,
        path: place.path,
        line: entry.line,
        memory: entry.memory,
        file: join(this.root, place.path),
      }
    );
  }

  /** What a person did to these entries; those that stand in no file are left out. */
  hands(ids: readonly string[]): ReadonlyMap<string, Hand> {
    if (ids.length === 0) return new Map();
    this.#lookAgain();
    const hands = new Map<string, Hand>();
    for (const file of this.#catalogue.filesOf(ids)) {
      const where = this.#isOwn(file) ? {} : { elsewhere: true };
      for (const [id, hand] of handsIn(this.#text(file.path) ?? '', ids, contextOf(file)))
        if (!hands.has(id)) hands.set(id, { ...hand, ...where });
    }
    return hands;
  }

  files(): readonly JournalFile[] {
    return listFiles(this.root, this.#options);
  }

  /** A file that is not there has no entries. Takes a path relative to the root, or an absolute one below it. */
  read(path: string): ParsedDay {
    const file = this.#file(path);
    return parseDay(this.#text(file.path) ?? '', contextOf(file));
  }

  /** This machine's name in a shared journal. */
  get machine(): string | undefined {
    return this.#options.machine;
  }

  /** Whether this machine writes to that file, or leaves it to another. */
  isOwn(path: string): boolean {
    return this.#isOwn(this.#file(path));
  }

  /** A disk or a crash has spoilt it: such bytes stand in no text that a person or we have written. */
  isSpoilt(path: string): boolean {
    return this.#text(this.#file(path).path)?.includes('\0') ?? false;
  }

  /** Everything in the journal a person should look at: conflicts, copies, what cannot be read. */
  check(): readonly JournalProblem[] {
    this.#catalogue.refresh();
    const copies = this.#catalogue.copies().flatMap(([first, ...others]) =>
      others.map(({ id, path, line }) => ({
        file: path,
        line,
        reason: `entry ${id} stands in ${first?.path} too`,
      })),
    );
    return [
      ...this.files().flatMap(({ path }) => this.read(path).problems),
      ...copies,
      ...this.sharedProblems(),
    ];
  }

  /** Copies of syncing tools that are not taken in, projects whose folder is not there. */
  sharedProblems(): readonly JournalProblem[] {
    return this.#shared.problems();
  }

  /** All files with their content's hash, to be compared with what was taken in before. */
  scan(): readonly FileMark[] {
    sweepTemps(this.root, Date.now());
    this.#catalogue.refresh();
    const marks = this.#catalogue.marks();
    this.#told.clear();
    for (const { path, hash } of marks) this.#told.set(path, hash);
    return marks;
  }

  /** Says to the other machines that share this journal what was forgotten here, or is not any more. */
  bury(project: string, tombstones: readonly SharedTombstone[]): Promise<void> {
    return isAway(this.root, project) ? Promise.resolve() : this.#shared.bury(project, tombstones);
  }

  /** The last word of any machine on each memory that was forgotten, by project. */
  buried(): ReadonlyMap<string, readonly SharedTombstone[]> {
    return this.#shared.buried();
  }

  /** Takes in the copies that syncing tools made of this machine's files. Gives their paths. */
  async takeCopies(): Promise<readonly string[]> {
    this.#catalogue.refresh();
    return this.#shared.takeCopies();
  }

  /** Days before that date which fold into the archives of their months. */
  daysBefore(date: string): readonly JournalFile[] {
    // Files of others in a journal that nobody else writes to came from a team: no one else will fold them.
    const foldsAll = this.#options.machine === undefined;
    return this.files().filter(
      (file) => !file.archive && file.date < date && (foldsAll || this.#isOwn(file)),
    );
  }

  /** Folds those days. The archive is written before the day is taken away; a day that cannot be folded stays. */
  async archive(date: string): Promise<ArchiveReport> {
    this.#catalogue.refresh();
    const months = new Set<string>();
    const skipped: { file: string; reason: string }[] = [];
    let [days, entries] = [0, 0];
    for (const file of this.daysBefore(date)) {
      const folded = await this.#fold(file);
      if (!folded.ok) skipped.push({ file: file.path, reason: folded.reason });
      else {
        days++;
        entries += folded.entries;
        months.add(monthPath(file));
      }
    }
    return { days, entries, months: [...months], skipped };
  }

  /** The page of a project: one file beside its days, in which a person may write too. */
  async changePage(project: string, change: (text: string | null) => string | null): Promise<boolean> {
    if (this.#options.project === undefined && isAway(this.root, project)) return false;
    const path = join(this.root, pagePath(project, this.#options));
    const { before, after } = await this.#files.change(path, change);
    return before !== after;
  }

  /** The page's text as it stands; null where there is none. */
  page(project: string): string | null {
    try {
      return decodeText(readFileSync(join(this.root, pagePath(project, this.#options))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null; // what fs throws is an errno error
      throw error;
    }
  }

  /**
   * Puts an entry into the file of another project, then takes it out of where it stood. Cut short in between it stands
   * in both, which `check` reports, and never in none. It gets no heading of its session, which is another project's,
   * and from then on it is a person's. False: there is no such entry.
   */
  async move(id: string, project: string): Promise<boolean> {
    const found = this.find(id);
    if (!found) return false;
    const memory = { ...found.memory, project };
    const target = this.#file(dayPath(project, dateOf(memory.at), this.#options));
    const work = { memories: [{ memory, known: false }], heads: [] };
    await this.#change(target, (text) => putInto(text, work, contextOf(target)).text);
    await this.#change(target, (text) => text && patchIn(text, id, {}, contextOf(target)));
    for (const file of this.#catalogue.filesOf([id]).filter(({ path }) => path !== target.path))
      await this.#change(file, (text) => text && removeFrom(text, new Set([id]), contextOf(file)));
    return true;
  }

  /** Calls with the path of each file that somebody else changed, made or took away, until the signal. */
  watch(onChange: (path: string) => void, signal: AbortSignal): void {
    mkdirSync(this.root, { recursive: true, mode: 0o700 });
    this.#watching = true;
    signal.addEventListener('abort', () => (this.#watching = false), { once: true });
    watchFolder(this.root, signal, (names) => {
      const changed = names ?? this.#everything();
      for (const name of changed) {
        const path = name.split(sep).join('/');
        const file = fileOf(path, this.#options.project);
        if (!file) {
          if (isCopy(path)) onChange(path);
          if (!isForgottenList(path)) continue;
        }
        const text = this.#text(path);
        const hash = text === undefined ? undefined : contentHash(text);
        if (hash === this.#told.get(path)) continue;
        this.#lookedAt = 0;
        if (hash === undefined) this.#told.delete(path);
        else this.#told.set(path, hash);
        onChange(path);
      }
    });
  }

  /** Waits for all writes, and merges what was written to replaced files up to now. */
  settle(): Promise<void> {
    return this.#files.settle();
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  /**
   * Which entries stand where, as of now. What we write ourselves is known; what others do is told by watching, and
   * looked for all the same now and then. A place that is out of date harms nobody: each file is read before it changes.
   */
  #lookAgain(): void {
    if (this.#watching && performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#catalogue.refresh();
    this.#lookedAt = performance.now();
  }

  async #write(work: readonly Work[], skipped: string[]): Promise<PutResult> {
    const result = { made: [] as string[], updated: [] as string[], edited: [] as string[], skipped };
    const files: FileMark[] = [];
    for (const { file, memories, heads } of work) {
      let outcome: PutOutcome | undefined;
      const { before, after } = await this.#change(file, (text) => {
        outcome = putInto(text, { memories, heads }, contextOf(file));
        return outcome.text;
      });
      for (const key of ['made', 'updated', 'edited', 'skipped'] as const)
        result[key].push(...(outcome?.[key] ?? []));
      const mark = this.#catalogue.mark(file.path);
      if (before !== after && mark && this.#told.get(file.path) === mark.hash) files.push(mark);
    }
    const ids = work.flatMap(({ memories }) => memories.map(({ memory }) => memory.id));
    const places = ids
      .flatMap((id) => this.#catalogue.find(id) ?? [])
      .map(({ id, path, line }) => ({ id, path, line }));
    return { ...result, places, files };
  }

  async #fold(file: JournalFile): Promise<Folded> {
    const month = this.#file(monthPath(file));
    const day = this.#text(file.path) ?? '';
    const outcome: { folded: Folded } = { folded: { ok: false, reason: 'not looked at' } };
    const { before } = await this.#change(month, (text) => {
      const folded = foldDay(text, contextOf(month), day, contextOf(file));
      outcome.folded = folded;
      return folded.ok ? folded.text : text;
    });
    const { folded } = outcome;
    if (!folded.ok) return folded;
    let edited = false;
    await this.#change(file, (text) => {
      edited = text !== null && text !== day;
      return edited ? text : null;
    });
    if (!edited) return folded;
    // Somebody wrote to the day meanwhile: it is folded another time, as it is then.
    const { text: written } = folded;
    await this.#change(month, (text) => (text === written ? before : text));
    return { ok: false, reason: 'somebody is writing to it' };
  }

  async #changeEntry(id: string, change: (text: string, file: JournalFile) => string): Promise<boolean> {
    this.#lookAgain();
    const place = this.#catalogue.find(id);
    if (!place) return false;
    await this.#change(place.file, (text) => text && change(text, place.file));
    return true;
  }

  async #change(file: JournalFile, change: (text: string | null) => string | null): Promise<Changed> {
    if (this.#options.project === undefined) makeTarget(this.root, file.project);
    const changed = await this.#files.change(join(this.root, file.path), change);
    const { before, after } = changed;
    if (before === after) return changed;
    const hash = after === null ? undefined : contentHash(after);
    // What we write on top of an edit nobody was told of is not only ours: watching will tell.
    if (this.#told.get(file.path) === (before === null ? undefined : this.#hashBefore(file, before))) {
      if (hash === undefined) this.#told.delete(file.path);
      else this.#told.set(file.path, hash);
    }
    this.#catalogue.update(file, after === null || hash === undefined ? undefined : { text: after, hash });
    this.#last = { path: file.path, text: after ?? '', hash: hash ?? '' };
    return changed;
  }

  /** A file we wrote last is most often the one we write next; its hash is known. */
  #hashBefore(file: JournalFile, text: string): string {
    return this.#last?.path === file.path && this.#last.text === text ? this.#last.hash : contentHash(text);
  }

  /** Where a head has something to say: wherever its session stands, and with a summary on the day it began. */
  #pathsOf(head: SessionHead, memories: readonly Memory[]): readonly string[] {
    const there = this.#catalogue.filesOfSession(head.id).filter((file) => this.#isOwn(file));
    const paths = there.map(({ path }) => path);
    const project =
      head.project ??
      there[0]?.project ??
      memories.find(
        ({ provenance, project: of }) => provenance.session === head.id && of !== PERSONAL_PROJECT,
      )?.project;
    if (!head.summary || project === undefined) return paths;
    const date = dateOf(head.startedAt);
    if (there.some((file) => file.archive && file.date.slice(0, 7) === date.slice(0, 7))) return paths;
    return [...new Set([...paths, dayPath(project, date, this.#options)])];
  }

  /** What was written before the journal was shared is everybody's. */
  #isOwn(file: JournalFile): boolean {
    return file.machine === undefined || file.machine === this.#options.machine;
  }

  #everything(): readonly string[] {
    const lists = listForgottenLists(this.root, this.#options);
    return [...new Set([...this.files().map(({ path }) => path), ...lists, ...this.#told.keys()])];
  }

  #text(path: string): string | undefined {
    try {
      return decodeText(readFileSync(join(this.root, path)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // what fs throws is an errno error
      throw error;
    }
  }

  #file(path: string): JournalFile {
    const name = (isAbsolute(path) ? relative(this.root, path) : path).split(sep).join('/');
    const file = fileOf(name, this.#options.project);
    if (file) return file;
    throw new TidemarkError('journal.not-a-file', `not a file of the journal: ${path}`);
  }
}

function contextOf(file: JournalFile): DayContext {
  return { project: file.project, date: file.date, file: file.path };
}
