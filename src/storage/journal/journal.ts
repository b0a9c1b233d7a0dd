/**
 * The journal on disk: Markdown files that are the source of truth for memories. Writes memories into them and reads the
 * user's edits. Never overwrites a user's edit, and leaves it to the caller whether a deleted entry is written again.
 */
import { join } from 'node:path';
import { given, contentHash, type Memory } from '../../core/index.ts';
import { archiveDays, daysBefore } from './_archive.ts';
import { JournalFiles } from './_journal-files.ts';
import { planWrites } from './_place-work.ts';
import { mergeCopies, sharedProblems, shareTombstones, sharedTombstones } from './_shared.ts';
import { checkedOptions, contextOf, dayPath } from './folders.ts';
import {
  adoptIn,
  dropSessionFrom,
  patchIn,
  removeFrom,
  replaceIn,
  restateIn,
  userChangesIn,
} from './format/change.ts';
import { dateOf } from './format/heading.ts';
import { putInto, type PutOutcome } from './format/insert.ts';
import { tidyMemory } from './format/normalise.ts';
import { parseDay } from './format/parse.ts';
import { isUnavailable } from './project-folder.ts';
import type {
  ArchiveReport,
  FileMark,
  JournalFile,
  JournalOptions,
  JournalProblem,
  MemoryPatch,
  ParsedDay,
  EntryLocation,
  PutResult,
  SessionHead,
  SharedTombstone,
  StateChange,
  UserChanges,
} from './types.ts';

export interface Found extends EntryLocation {
  readonly memory: Memory;
  /** Absolute path for an editor. */
  readonly file: string;
}

export class Journal {
  readonly root: string;
  readonly #files: JournalFiles;

  constructor(root: string, options: JournalOptions = {}) {
    this.root = root;
    this.#files = new JournalFiles(root, options);
  }

  /**
   * Writes memories and session heads into their files. Idempotent: repeating it changes nothing, and any order gives the
   * same files. Edited entries keep their text; entries in another machine's file are skipped.
   */
  async put(memories: readonly Memory[], heads: readonly SessionHead[]): Promise<PutResult> {
    this.#files.refresh();
    const { work, skipped } = planWrites(this.#files, memories, heads);
    const result = {
      made: [] as string[],
      updated: [] as string[],
      edited: [] as string[],
      skipped: [...skipped],
    };
    const files: FileMark[] = [];
    for (const { file, ...contents } of work) {
      let outcome: PutOutcome | undefined;
      const { before, after } = await this.#files.change(file, (text) => {
        outcome = putInto(text, contents, contextOf(file));
        return outcome.text;
      });
      for (const key of ['made', 'updated', 'edited', 'skipped'] as const)
        result[key].push(...(outcome?.[key] ?? []));
      const mark = before === after ? undefined : this.#files.reportedMark(file.path);
      if (mark) files.push(mark);
    }
    const places = work
      .flatMap((target) => target.memories)
      .flatMap(({ memory }) => this.#files.catalogue.find(memory.id) ?? [])
      .map(({ id, path, line }) => ({ id, path, line }));
    return { ...result, places, files };
  }

  /** Removes entries from every file that contains them. Returns the ids that were found. */
  async remove(ids: readonly string[]): Promise<readonly string[]> {
    this.#files.refresh();
    const removed = new Set(ids);
    const found = ids.filter((id) => this.#files.catalogue.find(id) !== undefined);
    for (const file of this.#files.catalogue.filesOf(ids))
      await this.#files.change(file, (text) => text && removeFrom(text, removed, contextOf(file)));
    return found;
  }

  /** Removes the title and the summary of a session; its entries stay. */
  async dropSession(id: string): Promise<void> {
    this.#files.refresh();
    for (const file of this.#files.catalogue.filesOfSession(id))
      await this.#files.change(file, (text) => text && dropSessionFrom(text, id, contextOf(file)));
  }

  /** Sets an entry's state for the user: distilling again does not change it. Returns false when there is no such entry. */
  setState(id: string, change: StateChange): Promise<boolean> {
    return this.#changeEntry(id, (text, file) => restateIn(text, id, change, contextOf(file)));
  }

  /** Sets an entry's text for the user: distilling again does not change it. Returns false when there is no such entry. */
  update(id: string, patch: MemoryPatch): Promise<boolean> {
    return this.#changeEntry(id, (text, file) => patchIn(text, id, patch, contextOf(file)));
  }

  /**
   * Writes an entry from another machine into that machine's file, or over the entry with its id. Its text then counts as
   * edited by the user. Returns the entry as stored; undefined when the current entry differs from `seen`.
   */
  async take(
    memory: Memory,
    machine: string | undefined,
    seen: Memory | undefined,
  ): Promise<Found | undefined> {
    this.#files.refresh();
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

  /** Reports whether the file contains no id for the entry yet, so that its id is derived from its text. */
  hasDerivedId(id: string): boolean {
    this.#files.refresh();
    const place = this.#files.catalogue.find(id);
    if (!place) return true;
    return this.read(place.path).entries.some((entry) => entry.memory.id === id && entry.derived);
  }

  /** Returns a text that changes with every change of a project's files. */
  stampOf(project: string): string {
    this.#files.refresh();
    const marks = this.#files.catalogue
      .marks()
      .filter(({ path }) => this.#files.file(path).project === project);
    return contentHash(marks.map(({ path, hash }) => `${path} ${hash}`).join('\n'));
  }

  /** Returns the machine that writes the file of an entry; undefined for this machine, false when there is no such entry. */
  writerOf(id: string): string | undefined | false {
    this.#files.refresh();
    const place = this.#files.catalogue.find(id);
    if (!place) return false;
    return this.#files.isOwn(place.file) ? undefined : place.file.machine;
  }

  /** Writes ids for entries that the user added, so that they survive the next edit. Returns false when none was needed. */
  async adopt(path: string): Promise<boolean> {
    const file = this.#files.file(path);
    const { before, after } = await this.#files.change(
      file,
      (text) => text && adoptIn(text, contextOf(file)),
    );
    return before !== after;
  }

  find(id: string): Found | undefined {
    this.#files.refresh();
    const path = this.#files.catalogue.find(id)?.path;
    if (path === undefined) return undefined;
    const entry = this.read(path).entries.find(({ memory }) => memory.id === id);
    return entry && { id, path, line: entry.line, memory: entry.memory, file: join(this.root, path) };
  }

  /** Returns the user's changes to these entries; leaves out ids that are in no file. */
  userChanges(ids: readonly string[]): ReadonlyMap<string, UserChanges> {
    if (ids.length === 0) return new Map();
    this.#files.refresh();
    const found = new Map<string, UserChanges>();
    for (const file of this.#files.catalogue.filesOf(ids)) {
      const where = this.#files.isOwn(file) ? {} : { elsewhere: true };
      for (const [id, changes] of userChangesIn(this.#files.text(file.path) ?? '', ids, contextOf(file)))
        if (!found.has(id)) found.set(id, { ...changes, ...where });
    }
    return found;
  }

  files(): readonly JournalFile[] {
    return this.#files.list();
  }

  /** Reads a file by its path, relative to the root or absolute. A missing file has no entries. */
  read(path: string): ParsedDay {
    const file = this.#files.file(path);
    return parseDay(this.#files.text(file.path) ?? '', contextOf(file));
  }

  /** This machine's name in a shared journal. */
  get machine(): string | undefined {
    return this.#files.options.machine;
  }

  /** Reports whether this machine writes to that file. */
  isOwn(path: string): boolean {
    return this.#files.isOwn(this.#files.file(path));
  }

  /** Reports whether a disk or a crash damaged the file: no editor writes NUL bytes. */
  isDamaged(path: string): boolean {
    return this.#files.text(this.#files.file(path).path)?.includes('\0') ?? false;
  }

  /** Returns everything the user should look at: conflicts, copies, unreadable entries. */
  check(): readonly JournalProblem[] {
    this.#files.catalogue.refresh();
    const copies = this.#files.catalogue.copies().flatMap(([first, ...others]) =>
      others.map(({ id, path, line }) => ({
        file: path,
        line,
        reason: `entry ${id} is also in ${first?.path}`,
      })),
    );
    return [
      ...this.files().flatMap(({ path }) => this.read(path).problems),
      ...copies,
      ...this.sharedProblems(),
    ];
  }

  /** Returns unmerged copies of syncing tools, files that are not read, and projects whose folder is missing. */
  sharedProblems(): readonly JournalProblem[] {
    return sharedProblems(this.#files);
  }

  /** Returns all files with the hash of their content. */
  scan(): readonly FileMark[] {
    return this.#files.scan();
  }

  /** Adds tombstones to the list that the other machines of a shared journal read. */
  shareTombstones(project: string, tombstones: readonly SharedTombstone[]): Promise<void> {
    return isUnavailable(this.root, project)
      ? Promise.resolve()
      : shareTombstones(this.#files, project, tombstones);
  }

  /** Returns the latest tombstone of each memory over all machines, by project. */
  sharedTombstones(): ReadonlyMap<string, readonly SharedTombstone[]> {
    return sharedTombstones(this.#files);
  }

  /** Merges the copies that syncing tools made of this machine's files. Returns their paths. */
  async mergeCopies(): Promise<readonly string[]> {
    this.#files.catalogue.refresh();
    return mergeCopies(this.#files);
  }

  /** Returns the days before that date that this machine archives. */
  daysBefore(date: string): readonly JournalFile[] {
    return daysBefore(this.#files, date);
  }

  /** Moves those days into the archives of their months. */
  archive(date: string): Promise<ArchiveReport> {
    return archiveDays(this.#files, date);
  }

  /**
   * Writes an entry into the file of another project, then removes it from its own. A crash in between leaves it in both,
   * which `check` reports. It gets no session heading there, and counts as edited by the user. Returns false when there
   * is no such entry.
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

  /** Calls back with the path of each file that another program changed, created or deleted, until the signal. */
  watch(onChange: (path: string) => void, signal: AbortSignal): void {
    this.#files.watch(onChange, signal);
  }

  /** Waits for all writes and merges late writes to replaced files. */
  settle(): Promise<void> {
    return this.#files.safe.settle();
  }

  close(): Promise<void> {
    return this.#files.safe.close();
  }

  async #changeEntry(id: string, change: (text: string, file: JournalFile) => string): Promise<boolean> {
    this.#files.refresh();
    const place = this.#files.catalogue.find(id);
    if (!place) return false;
    await this.#files.change(place.file, (text) => text && change(text, place.file));
    return true;
  }
}
