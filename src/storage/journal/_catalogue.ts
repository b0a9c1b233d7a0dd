/** Which entries and sessions stand in which files, kept in memory and brought up to date by looking at the files' stamps. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../../core/index.ts';
import { JOURNAL_BYTES, readBytesSync } from '../../files/index.ts';
import { listFiles } from './folders.ts';
import { decodeText } from './format/decode.ts';
import { openDoc } from './format/document.ts';
import type { FileMark, JournalFile, JournalOptions, EntryLocation } from './types.ts';

interface Known {
  readonly stamp: string;
  readonly file: JournalFile;
  readonly lines: ReadonlyMap<string, number>;
  readonly sessions: ReadonlySet<string>;
  readonly mark: FileMark;
}

export interface Content {
  readonly text: string;
  readonly hash: string;
}

export class Catalogue {
  readonly #root: string;
  readonly #options: JournalOptions;
  readonly #files = new Map<string, Known>();
  /** The files each entry and each session stands in: asked for with every write, however many files there are. */
  readonly #byId = new Map<string, Set<string>>();
  readonly #bySession = new Map<string, Set<string>>();

  constructor(root: string, options: JournalOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Looks at every file's stamp; reads only what changed. Without change in a thousand files: some milliseconds. */
  refresh(): void {
    const gone = new Set(this.#files.keys());
    for (const file of listFiles(this.#root, this.#options)) {
      gone.delete(file.path);
      this.#set(file.path, this.#look(file));
    }
    for (const path of gone) this.#set(path, undefined);
  }

  find(id: string): (EntryLocation & { readonly file: JournalFile }) | undefined {
    const [known] = this.#filesIn(this.#byId.get(id));
    const line = known?.lines.get(id);
    return known && line !== undefined ? { id, path: known.file.path, line, file: known.file } : undefined;
  }

  /** Every file an id stands in: a copy may stand in a second one. */
  filesOf(ids: readonly string[]): readonly JournalFile[] {
    const paths = new Set(ids.flatMap((id) => [...(this.#byId.get(id) ?? [])]));
    return this.#filesIn(paths).map(({ file }) => file);
  }

  filesOfSession(id: string): readonly JournalFile[] {
    return this.#filesIn(this.#bySession.get(id)).map(({ file }) => file);
  }

  /** Ids that stand in more than one file, with their places. */
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

  /** The file as it is on the disk now, gone or not. `hint` spares reading and hashing what was just written. */
  update(file: JournalFile, hint?: Content): void {
    this.#set(file.path, this.#look(file, hint));
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

  /** In the order of their paths, so that the first of several copies is always the same. */
  #filesIn(paths: Iterable<string> | undefined): readonly Known[] {
    return [...(paths ?? [])].toSorted().flatMap((path) => this.#files.get(path) ?? []);
  }

  #look(file: JournalFile, hint?: Content): Known | undefined {
    const path = join(this.#root, file.path);
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    // One that is too large is told by `problems`, and left alone.
    if (!stat?.isFile() || stat.size > JOURNAL_BYTES) return undefined;
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const before = this.#files.get(file.path);
    if (before?.stamp === stamp) return before;
    const fresh = hint && Number(stat.size) === Buffer.byteLength(hint.text);
    const text = fresh ? hint.text : decodeText(readBytesSync(path, JOURNAL_BYTES));
    const doc = openDoc(text, { project: file.project, date: file.date, file: file.path });
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
