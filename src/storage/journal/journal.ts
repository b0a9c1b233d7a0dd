/**
 * The journal on disk: the Markdown files that are the truth. Writes memories where they belong and reads what a person
 * made of them. It never overwrites a person's edit, and never decides whether an entry that is gone should come back.
 */
import { join } from 'node:path';
import { given, contentHash, type Memory } from '../../core/index.ts';
import { archiveDays, daysBefore } from './_archive.ts';
import { contextOf, JournalFiles } from './_journal-files.ts';
import { planWrites, type Work } from './_place-work.ts';
import { Shared } from './_shared.ts';
import { checkedOptions, dayPath, projectPagePath } from './folders.ts';
import {
  adoptIn,
  dropSessionFrom,
  handsIn,
  patchIn,
  removeFrom,
  replaceIn,
  restateIn,
} from './format/change.ts';
import { dateOf } from './format/heading.ts';
import { putInto, type PutOutcome } from './format/insert.ts';
import { tidyMemory } from './format/normalise.ts';
import { parseDay } from './format/parse.ts';
import { isAway } from './project-folder.ts';
import type {
  ArchiveReport,
  FileMark,
  Hand,
  JournalFile,
  JournalOptions,
  JournalProblem,
  MemoryPatch,
  ParsedDay,
  EntryLocation,
  PutOptions,
  PutResult,
  SessionHead,
  SharedTombstone,
  StateChange,
} from './types.ts';

export interface Found extends EntryLocation {
  readonly memory: Memory;
  /** Absolute, to be opened in an editor. */
  readonly file: string;
}

export class Journal {
  readonly root: string;
  readonly #files: JournalFiles;
  readonly #shared: Shared;

  constructor(root: string, options: JournalOptions = {}) {
    this.root = root;
    this.#files = new JournalFiles(root, options);
    this.#shared = new Shared({
      root,
      options,
      files: this.#files.safe,
      isOwn: (file) => this.#files.isOwn(file),
      change: (file, change) => this.#files.change(file, change),
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
    this.#files.lookAgain();
    const { work, skipped } = planWrites(this.#files, memories, heads, absent);
    return this.#write(work, [...skipped]);
  }

  /** Takes entries out of every file they stand in. Gives the ids that were found. */
  async remove(ids: readonly string[]): Promise<readonly string[]> {
    this.#files.lookAgain();
    const wanted = new Set(ids);
    const found = ids.filter((id) => this.#files.catalogue.find(id) !== undefined);
    for (const file of this.#files.catalogue.filesOf(ids)) {
      await this.#files.change(file, (text) =>
        text === null ? null : removeFrom(text, wanted, contextOf(file)),
      );
    }
    return found;
  }

  /** Takes away what stands about a session, title and summary; its entries stay. */
  async dropSession(id: string): Promise<void> {
    this.#files.lookAgain();
    for (const file of this.#files.catalogue.filesOfSession(id)) {
      await this.#files.change(file, (text) =>
        text === null ? null : dropSessionFrom(text, id, contextOf(file)),
      );
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
    this.#files.lookAgain();
    const tidy = tidyMemory(memory);
    const place = this.#files.catalogue.find(memory.id);
    const options = { ...this.#files.options, ...given({ machine }) };
    const file =
      place?.file ?? this.#files.file(dayPath(memory.project, dateOf(memory.at), checkedOptions(options)));
    let isTaken = true;
    await this.#files.change(file, (text) => {
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
    this.#files.lookAgain();
    const place = this.#files.catalogue.find(id);
    if (!place) return true;
    return this.read(place.path).entries.some((entry) => entry.memory.id === id && entry.derived);
  }

  /** Changes with every change of a project's files. */
  stampOf(project: string): string {
    this.#files.lookAgain();
    const marks = this.#files.catalogue
      .marks()
      .filter(({ path }) => this.#files.file(path).project === project);
    return contentHash(marks.map(({ path, hash }) => `${path} ${hash}`).join('\n'));
  }

  /** The machine that writes the file an entry stands in: none where that is this one. False: it stands in no file. */
  homeOf(id: string): string | undefined | false {
    this.#files.lookAgain();
    const place = this.#files.catalogue.find(id);
    if (!place) return false;
    return this.#files.isOwn(place.file) ? undefined : place.file.machine;
  }

  /** Writes ids for entries made by hand, so that they survive the next edit. False: there was nothing to do. */
  async adopt(path: string): Promise<boolean> {
    const file = this.#files.file(path);
    const { before, after } = await this.#files.change(
      file,
      (text) => text && adoptIn(text, contextOf(file)),
    );
    return before !== after;
  }

  find(id: string): Found | undefined {
    this.#files.lookAgain();
    const place = this.#files.catalogue.find(id);
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
    this.#files.lookAgain();
    const hands = new Map<string, Hand>();
    for (const file of this.#files.catalogue.filesOf(ids)) {
      const where = this.#files.isOwn(file) ? {} : { elsewhere: true };
      for (const [id, hand] of handsIn(this.#files.text(file.path) ?? '', ids, contextOf(file)))
        if (!hands.has(id)) hands.set(id, { ...hand, ...where });
    }
    return hands;
  }

  files(): readonly JournalFile[] {
    return this.#files.list();
  }

  /** A file that is not there has no entries. Takes a path relative to the root, or an absolute one below it. */
  read(path: string): ParsedDay {
    const file = this.#files.file(path);
    return parseDay(this.#files.text(file.path) ?? '', contextOf(file));
  }

  /** This machine's name in a shared journal. */
  get machine(): string | undefined {
    return this.#files.options.machine;
  }

  /** Whether this machine writes to that file, or leaves it to another. */
  isOwn(path: string): boolean {
    return this.#files.isOwn(this.#files.file(path));
  }

  /** A disk or a crash has spoilt it: such bytes stand in no text that a person or we have written. */
  isSpoilt(path: string): boolean {
    return this.#files.text(this.#files.file(path).path)?.includes('\0') ?? false;
  }

  /** Everything in the journal a person should look at: conflicts, copies, what cannot be read. */
  check(): readonly JournalProblem[] {
    this.#files.catalogue.refresh();
    const copies = this.#files.catalogue.copies().flatMap(([first, ...others]) =>
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
    return this.#files.scan();
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
    this.#files.catalogue.refresh();
    return this.#shared.takeCopies();
  }

  /** Days before that date which fold into the archives of their months. */
  daysBefore(date: string): readonly JournalFile[] {
    return daysBefore(this.#files, date);
  }

  /** Folds those days. */
  archive(date: string): Promise<ArchiveReport> {
    return archiveDays(this.#files, date);
  }

  /** The page of a project: one file beside its days, in which a person may write too. */
  async changeProjectPage(project: string, change: (text: string | null) => string | null): Promise<boolean> {
    if (this.#files.options.project === undefined && isAway(this.root, project)) return false;
    const path = join(this.root, projectPagePath(project, this.#files.options));
    const { before, after } = await this.#files.safe.change(path, change);
    return before !== after;
  }

  /** The page's text as it stands; null where there is none. */
  page(project: string): string | null {
    return this.#files.text(projectPagePath(project, this.#files.options)) ?? null;
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
    const target = this.#files.file(dayPath(project, dateOf(memory.at), this.#files.options));
    const work = { memories: [{ memory, known: false }], heads: [] };
    await this.#files.change(target, (text) => putInto(text, work, contextOf(target)).text);
    await this.#files.change(target, (text) => text && patchIn(text, id, {}, contextOf(target)));
    for (const file of this.#files.catalogue.filesOf([id]).filter(({ path }) => path !== target.path))
      await this.#files.change(file, (text) => text && removeFrom(text, new Set([id]), contextOf(file)));
    return true;
  }

  /** Calls with the path of each file that somebody else changed, made or took away, until the signal. */
  watch(onChange: (path: string) => void, signal: AbortSignal): void {
    this.#files.watch(onChange, signal);
  }

  /** Waits for all writes, and merges what was written to replaced files up to now. */
  settle(): Promise<void> {
    return this.#files.safe.settle();
  }

  close(): Promise<void> {
    return this.#files.safe.close();
  }

  async #write(work: readonly Work[], skipped: string[]): Promise<PutResult> {
    const result = { made: [] as string[], updated: [] as string[], edited: [] as string[], skipped };
    const files: FileMark[] = [];
    for (const { file, memories, heads } of work) {
      let outcome: PutOutcome | undefined;
      const { before, after } = await this.#files.change(file, (text) => {
        outcome = putInto(text, { memories, heads }, contextOf(file));
        return outcome.text;
      });
      for (const key of ['made', 'updated', 'edited', 'skipped'] as const)
        result[key].push(...(outcome?.[key] ?? []));
      const mark = before === after ? undefined : this.#files.toldMark(file.path);
      if (mark) files.push(mark);
    }
    const ids = work.flatMap(({ memories }) => memories.map(({ memory }) => memory.id));
    const places = ids
      .flatMap((id) => this.#files.catalogue.find(id) ?? [])
      .map(({ id, path, line }) => ({ id, path, line }));
    return { ...result, places, files };
  }

  async #changeEntry(id: string, change: (text: string, file: JournalFile) => string): Promise<boolean> {
    this.#files.lookAgain();
    const place = this.#files.catalogue.find(id);
    if (!place) return false;
    await this.#files.change(place.file, (text) => text && change(text, place.file));
    return true;
  }
}
