/** Which entries and sessions stand in which files, kept in memory and brought up to date by looking at the files' stamps. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../model/index.ts';
import { decodeText } from './_decode.ts';
import { openDoc } from './_doc.ts';
import { listFiles } from './_folders.ts';
import type { FileMark, JournalFile, JournalOptions, Place } from './types.ts';

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
  #files = new Map<string, Known>();

  constructor(root: string, options: JournalOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** Looks at every file's stamp; reads only what changed. Without change in a thousand files: some milliseconds. */
  refresh(): void {
    const found = new Map<string, Known>();
    for (const file of listFiles(this.#root, this.#options)) {
      const known = this.#look(file);
      if (known) found.set(file.path, known);
    }
    this.#files = found;
  }

  find(id: string): (Place & { readonly file: JournalFile }) | undefined {
    for (const { file, lines } of this.#files.values()) {
      const line = lines.get(id);
      if (line !== undefined) return { id, path: file.path, line, file };
    }
    return undefined;
  }

  /** Every file an id stands in: a copy may stand in a second one. */
  filesOf(ids: readonly string[]): readonly JournalFile[] {
    return [...this.#files.values()]
      .filter(({ lines }) => ids.some((id) => lines.has(id)))
      .map(({ file }) => file);
  }

  filesOfSession(id: string): readonly JournalFile[] {
    return [...this.#files.values()].filter(({ sessions }) => sessions.has(id)).map(({ file }) => file);
  }

  /** Ids that stand in more than one file, with their places. */
  copies(): readonly (readonly Place[])[] {
    const places = new Map<string, Place[]>();
    for (const { file, lines } of this.#files.values()) {
      for (const [id, line] of lines)
        places.set(id, [...(places.get(id) ?? []), { id, path: file.path, line }]);
    }
    return [...places.values()].filter((list) => list.length > 1);
  }

  marks(): readonly FileMark[] {
    return [...this.#files.values()].map(({ mark }) => mark);
  }

  mark(path: string): FileMark | undefined {
    return this.#files.get(path)?.mark;
  }

  /** The file as it is on the disk now, gone or not. `hint` spares reading and hashing what was just written. */
  update(file: JournalFile, hint?: Content): void {
    const known = this.#look(file, hint);
    if (known) this.#files.set(file.path, known);
    else this.#files.delete(file.path);
  }

  #look(file: JournalFile, hint?: Content): Known | undefined {
    const path = join(this.#root, file.path);
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const before = this.#files.get(file.path);
    if (before?.stamp === stamp) return before;
    const fresh = hint && Number(stat.size) === Buffer.byteLength(hint.text);
    const text = fresh ? hint.text : decodeText(readFileSync(path));
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
