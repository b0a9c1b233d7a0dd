/** Index in memory of the file of each entry and session. A file is read again when its inode, size or times change. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../../core/index.ts';
import { JOURNAL_BYTES, readBytesSync } from '../../files/index.ts';
import { contextOf, listFiles } from './folders.ts';
import { openDoc } from './format/document.ts';
import { decodeText } from './format/text-lines.ts';
import type { FileMark, JournalFile, JournalOptions, EntryLocation } from './types.ts';

interface Known {
  readonly stamp: string;
  readonly file: JournalFile;
  readonly lines: ReadonlyMap<string, number>;
  readonly sessions: ReadonlySet<string>;
  readonly mark: FileMark;
}

export class Catalogue {
  readonly #root: string;
  readonly #options: JournalOptions;
  readonly #files = new Map<string, Known>();
  /** Paths by entry and session, because every write looks them up. */
  readonly #byId = new Map<string, Set<string>>();
  readonly #bySession = new Map<string, Set<string>>();

  constructor(root: string, options: JournalOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Checks every file and reads only the changed ones: a few milliseconds for a thousand unchanged files. */
  refresh(): void {
    const gone = new Set(this.#files.keys());
    for (const file of listFiles(this.#root, this.#options)) {
      gone.delete(file.path);
      this.#set(file.path, this.#inspect(file));
    }
    for (const path of gone) this.#set(path, undefined);
  }

  find(id: string): (EntryLocation & { readonly file: JournalFile }) | undefined {
    const [known] = this.#filesIn(this.#byId.get(id));
    const line = known?.lines.get(id);
    return known && line !== undefined ? { id, path: known.file.path, line, file: known.file } : undefined;
  }

  /** Returns every file that contains one of the ids: a copy may be in a second file. */
  filesOf(ids: readonly string[]): readonly JournalFile[] {
    const paths = new Set(ids.flatMap((id) => [...(this.#byId.get(id) ?? [])]));
    return this.#filesIn(paths).map(({ file }) => file);
  }

  filesOfSession(id: string): readonly JournalFile[] {
    return this.#filesIn(this.#bySession.get(id)).map(({ file }) => file);
  }

  /** Returns the locations of each id that is in more than one file. */
  copies(): readonly (readonly EntryLocation[])[] {
    const copied = [...this.#byId].filter(([, paths]) => paths.size > 1);
    return copied.map(([id, paths]) =>
      this.#filesIn(paths).map(({ file, lines }) => ({ id, path: file.path, line: lines.get(id) ?? 0 })),
    );
  }

  marks(): readonly FileMark[] {
    return this.#filesIn(this.#files.keys()).map(({ mark }) => mark);
  }

  mark(path: string): FileMark | undefined {
    return this.#files.get(path)?.mark;
  }

  /** Updates one file from disk. `hint`: the content that was just written, which saves reading it. */
  update(file: JournalFile, hint?: string): void {
    this.#set(file.path, this.#inspect(file, hint));
  }

  #set(path: string, known: Known | undefined): void {
    const before = this.#files.get(path);
    if (before === known) return;
    for (const id of before?.lines.keys() ?? []) drop(this.#byId, id, path);
    for (const id of before?.sessions ?? []) drop(this.#bySession, id, path);
    if (!known) return void this.#files.delete(path);
    this.#files.set(path, known);
    for (const id of known.lines.keys()) add(this.#byId, id, path);
    for (const id of known.sessions) add(this.#bySession, id, path);
  }

  /** Returns the files sorted by path, so that the first of several copies is always the same. */
  #filesIn(paths: Iterable<string> | undefined): readonly Known[] {
    return [...(paths ?? [])].toSorted().flatMap((path) => this.#files.get(path) ?? []);
  }

  #inspect(file: JournalFile, hint?: string): Known | undefined {
    const path = join(this.#root, file.path);
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    // A file that is too large is ignored here and reported by `sharedProblems`.
    if (!stat?.isFile() || stat.size > JOURNAL_BYTES) return undefined;
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const before = this.#files.get(file.path);
    if (before?.stamp === stamp) return before;
    const isHintValid = hint !== undefined && Number(stat.size) === Buffer.byteLength(hint);
    const text = isHintValid ? hint : decodeText(readBytesSync(path, JOURNAL_BYTES));
    const doc = openDoc(text, contextOf(file));
    return {
      stamp,
      file,
      lines: new Map([...doc.byId].map(([id, { part }]) => [id, part.line])),
      sessions: new Set(
        doc.groups.flatMap(({ head }) => (head.kind === 'session' ? (head.comment?.id ?? []) : [])),
      ),
      mark: {
        path: file.path,
        mtime: Number(stat.mtimeMs),
        size: Number(stat.size),
        hash: contentHash(text),
      },
    };
  }
}

function add(map: Map<string, Set<string>>, key: string, path: string): void {
  const paths = map.get(key);
  if (paths) paths.add(path);
  else map.set(key, new Set([path]));
}

function drop(map: Map<string, Set<string>>, key: string, path: string): void {
  const paths = map.get(key);
  paths?.delete(path);
  if (paths?.size === 0) map.delete(key);
}
