/**
 * What a journal needs that several machines share: the lists of what was forgotten, and the copies that syncing tools
 * make of a file two machines wrote at once. Takes nothing away before it stands elsewhere.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_BYTES, readBytesSync } from '../../files/index.ts';
import type { SafeFiles } from './_safe-files.ts';
import {
  forgottenListPath,
  listAway,
  listCopies,
  listFiles,
  listForgottenLists,
  type ConflictCopy,
} from './folders.ts';
import { addToList, lastWords } from './forgotten-list.ts';
import { decodeText } from './format/decode.ts';
import { mergeDays } from './merge/days.ts';
import type { JournalFile, JournalOptions, JournalProblem, SharedTombstone } from './types.ts';

export interface SharedParts {
  readonly root: string;
  readonly options: JournalOptions;
  readonly files: SafeFiles;
  /** Whether this machine writes to that file. */
  readonly isOwn: (file: JournalFile) => boolean;
  readonly change: (file: JournalFile, change: (text: string | null) => string | null) => Promise<unknown>;
}

export class Shared {
  readonly #parts: SharedParts;

  constructor(parts: SharedParts) {
    this.#parts = parts;
  }

  async bury(project: string, tombstones: readonly SharedTombstone[]): Promise<void> {
    const { root, options, files } = this.#parts;
    const path = join(root, forgottenListPath(project, options));
    await files.change(path, (text) => addToList(text, tombstones));
  }

  /** The last word of any machine on each memory that was forgotten, by the project in whose folder it stands. */
  buried(): ReadonlyMap<string, readonly SharedTombstone[]> {
    const { root, options } = this.#parts;
    const paths = listForgottenLists(root, options);
    const byProject = Map.groupBy(paths, (path) => options.project ?? path.split('/')[0] ?? '');
    return new Map(
      [...byProject].map(([project, lists]) => [
        project,
        lastWords(lists.map((path) => this.#read(path) ?? '')),
      ]),
    );
  }

  /** Brings what stands in copies into the files they are of, entry by entry; the copies go. Gives those taken in. */
  async takeCopies(): Promise<readonly string[]> {
    const taken: string[] = [];
    for (const copy of this.#copies()) if (await this.#take(copy)) taken.push(copy.path);
    return taken;
  }

  /** What `doctor` should name: copies that could not be taken in, files that are not read, folders that are not there. */
  problems(): readonly JournalProblem[] {
    const { root, options } = this.#parts;
    const copies = listCopies(root, options).map(({ path, of }) => ({
      file: path,
      line: 1,
      reason: `a copy a syncing tool made of ${of.path}: it is taken in by the machine that writes that file, once both can be read`,
    }));
    const away = options.project === undefined ? listAway(root) : [];
    const refused = listFiles(root, options).flatMap(({ path: file }) => {
      const stat = statSync(join(root, file), { throwIfNoEntry: false });
      if (!stat || (stat.isFile() && stat.size <= JOURNAL_BYTES)) return [];
      const reason = stat.isFile() ? 'too large for a file of the journal' : 'not a regular file';
      return [{ file, line: 1, reason: `${reason}: it is not read; move it away` }];
    });
    return [
      ...copies,
      ...refused,
      ...away.map((project) => ({
        file: project,
        line: 1,
        reason: 'the folder this project’s journal was moved to is not there; see: tidemark journal where',
      })),
    ];
  }

  #copies(): readonly ConflictCopy[] {
    return listCopies(this.#parts.root, this.#parts.options).filter(({ of }) => this.#parts.isOwn(of));
  }

  async #take({ path, of }: ConflictCopy): Promise<boolean> {
    const { root, files, change } = this.#parts;
    const copy = this.#read(path);
    if (copy === undefined) return false;
    let merged = false;
    await change(of, (text) => {
      const both = text === null ? copy : mergeDays(null, text, copy, contextOf(of));
      merged = both !== undefined;
      return both ?? text;
    });
    if (!merged) return false;
    const { after } = await files.change(join(root, path), (text) => (text === copy ? null : text));
    return after === null;
  }

  #read(path: string): string | undefined {
    try {
      return decodeText(readBytesSync(join(this.#parts.root, path), JOURNAL_BYTES));
    } catch {
      return undefined; // gone meanwhile
    }
  }
}

function contextOf({ project, date, path }: JournalFile) {
  return { project, date, file: path };
}
