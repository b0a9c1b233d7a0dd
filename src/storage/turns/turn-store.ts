/**
 * Stores the redacted turns, compressed, by project and month: `turns/<project>/YYYY-MM.jsonl.gz`, readable with `zcat`.
 * Append-only, except when turns are erased or the store is too large. One writer.
 */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { TidemarkError, type StoredTurn } from '../../core/index.ts';
import {
  AppendLogs,
  SharedLock,
  makeFolder,
  removeTemporaries,
  type ReportProblem,
} from '../../files/index.ts';
import { encodeMember, TurnFile, turnKey, type Damage, type Member } from './turn-file.ts';
import { dropTurns, lastRevisions, totalBytes, trimFiles } from './turn-revisions.ts';

const SUFFIX = '.jsonl.gz';
const FILE = /^([^/]+)\/\d{4}-\d{2}\.jsonl\.gz$/;
const PROJECT = /^[^/\\\0.][^/\\\0]*$/;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])(?=-)/;

export interface TurnLocation {
  /** Relative to the store: `<project>/YYYY-MM.jsonl.gz`. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface TurnAt {
  readonly turn: StoredTurn;
  readonly location: TurnLocation;
}

export interface ErasedTurns {
  readonly turns: number;
  /** Files whose turns were moved or removed: `scan` them again for the new locations. */
  readonly files: readonly string[];
}

export interface TrimmedTurns extends ErasedTurns {
  readonly bytes: number;
  /** Times of the oldest and the newest removed turn. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface VerifiedTurns {
  /** Read completely. */
  readonly bytes: number;
  /** In older files, beyond the budget. */
  readonly unread: number;
  readonly damaged: readonly TurnLocation[];
}

/** About ten seconds of unpacking on a slow machine. */
const VERIFY_BYTES = 256 * 1024 * 1024;

export interface TurnStoreOptions {
  readonly report?: ReportProblem;
  /** For a thread that is not the writer: creates and cleans up nothing. */
  readonly readOnly?: boolean;
}

export class TurnStore {
  readonly #root: string;
  readonly #report: ReportProblem;
  readonly #lock = new SharedLock();
  readonly #files: AppendLogs;

  private constructor(root: string, report: ReportProblem) {
    this.#root = root;
    this.#report = report;
    this.#files = new AppendLogs((path) => this.#completeLength(path));
  }

  static async open(root: string, options: TurnStoreOptions = {}): Promise<TurnStore> {
    const store = new TurnStore(root, options.report ?? (() => {}));
    if (options.readOnly) return store;
    await makeFolder(root);
    for (const project of await store.#projects()) await removeTemporaries(join(root, project));
    return store;
  }

  /** Resolves with the locations when all turns are durable. A turn that is already stored gets a new revision. */
  async put(turns: readonly StoredTurn[]): Promise<TurnLocation[]> {
    const files = turns.map(fileOf);
    const members = await Promise.all(turns.map(encodeMember));
    for (const file of new Set(files)) await makeFolder(dirname(this.#path(file)));
    await this.#lock.pass();
    const starts = [...new Set(files)].map((file) => {
      const data = Buffer.concat(members.filter((_, i) => files[i] === file));
      return this.#files.append(this.#path(file), data).then((start) => [file, start] as const);
    });
    const next = new Map(await Promise.all(starts));
    return members.map(({ length }, i) => {
      const file = files[i] ?? '';
      const offset = next.get(file) ?? 0;
      next.set(file, offset + length);
      return { file, offset, length };
    });
  }

  /** Returns undefined when no turn begins there: it was erased, dropped, moved or damaged. */
  async get({ file, offset, length }: TurnLocation): Promise<StoredTurn | undefined> {
    return TurnFile.using(this.#path(file), async (open) =>
      offset + length <= open.size ? open.turn({ offset, length }) : undefined,
    );
  }

  /** Lists the files, for `scan`. */
  files(): Promise<readonly string[]> {
    return this.#list();
  }

  /** Yields the last revision of every turn, of one project or file if named. Reports and skips damaged ones. */
  async *scan(only: { readonly project?: string; readonly file?: string } = {}): AsyncGenerator<TurnAt> {
    for (const file of await this.#list()) {
      if (only.file !== undefined && only.file !== file) continue;
      if (only.project !== undefined && only.project !== dirname(file)) continue;
      yield* this.#scanFile(file);
    }
  }

  /** Removes all revisions of these turns permanently. */
  erase(project: string, turnIds: readonly string[]): Promise<ErasedTurns> {
    const keys = new Set(turnIds.map(turnKey));
    return this.#lock.rewrite(async () => {
      await this.#files.closeAll();
      const erased: Member[] = [];
      const files: string[] = [];
      for (const file of await this.#list()) {
        if (dirname(file) !== project) continue;
        const gone = await dropTurns(this.#path(file), ({ turn }) => keys.has(turn));
        if (gone.length > 0) files.push(file);
        erased.push(...gone);
      }
      return { turns: new Set(erased.map(({ turn }) => turn)).size, files };
    });
  }

  /** Reduces the store to `maxBytes`: removes superseded revisions first, then the oldest turns. */
  trim(maxBytes: number): Promise<TrimmedTurns> {
    return this.#lock.rewrite(async () => {
      await this.#files.closeAll();
      const months = Map.groupBy(await this.#list(), (file) => basename(file));
      const sorted = [...months.keys()]
        .toSorted()
        .map((month) => months.get(month)?.map((file) => this.#path(file)) ?? []);
      const { dropped, bytes, changed } = await trimFiles(sorted, maxBytes);
      const times = dropped.map(({ time }) => time).toSorted((a, b) => a - b);
      return {
        turns: dropped.length,
        bytes,
        from: isoOf(times[0]),
        to: isoOf(times.at(-1)),
        files: changed.map((path) => relative(this.#root, path)),
      };
    });
  }

  /**
   * Unpacks every turn and compares its checksum, newest month first, up to `budget` bytes; a file is read again before
   * a part counts as damaged, because the writer may be appending.
   */
  async verify(budget = VERIFY_BYTES): Promise<VerifiedTurns> {
    const files = (await this.#list()).toSorted((a, b) => (basename(a) < basename(b) ? 1 : -1));
    const damaged: TurnLocation[] = [];
    let bytes = 0;
    let unread = 0;
    for (const file of files) {
      const size = await totalBytes([this.#path(file)]);
      if (bytes > 0 && bytes + size > budget) {
        unread += size;
        continue;
      }
      bytes += size;
      const found = await this.#damageIn(file);
      const again = found.length > 0 ? await this.#damageIn(file) : [];
      damaged.push(...again.filter(({ offset }) => found.some((one) => one.offset === offset)));
    }
    return { bytes, unread, damaged };
  }

  async #damageIn(file: string): Promise<readonly TurnLocation[]> {
    const damaged: TurnLocation[] = [];
    await TurnFile.using(this.#path(file), async (open) => {
      const intact = new Set<string>();
      const broken: Member[] = [];
      for await (const member of open.members((damage) => damaged.push({ file, ...damage }))) {
        if (await open.turn(member)) intact.add(member.turn);
        else broken.push(member);
      }
      // Another revision of the turn is enough.
      for (const { turn, offset, length } of broken)
        if (!intact.has(turn)) damaged.push({ file, offset, length });
    });
    return damaged.toSorted((a, b) => a.offset - b.offset);
  }

  /** Returns the size of all files. */
  async bytes(): Promise<number> {
    return totalBytes((await this.#list()).map((file) => this.#path(file)));
  }

  async close(): Promise<void> {
    await this.#lock.pass();
    await this.#files.closeAll();
  }

  async *#scanFile(file: string): AsyncGenerator<TurnAt> {
    const path = this.#path(file);
    const open = await TurnFile.open(path, this.#files.durableSize(path));
    if (!open) return;
    try {
      for (const { offset, length } of await lastRevisions(open, (damage) => this.#damaged(path, damage))) {
        const turn = await open.turn({ offset, length });
        if (turn) yield { turn, location: { file, offset, length } };
        else this.#damaged(path, { offset, length });
      }
    } finally {
      await open.close();
    }
  }

  #damaged(file: string, { offset, length }: Damage): void {
    this.#report({ file, offset, reason: `${length} bytes that are not a complete turn` });
  }

  /** Returns the end of the last complete turn: the rest was cut off while it was written. */
  async #completeLength(path: string): Promise<number> {
    const length = await TurnFile.using(path, async (file) => {
      let last: Member | undefined;
      for await (const member of file.members()) last = member;
      if (!last) return 0;
      return (await file.turn(last)) ? last.offset + last.length : last.offset;
    });
    return length ?? 0;
  }

  async #list(): Promise<string[]> {
    const files: string[] = [];
    for (const project of await this.#projects()) {
      for (const name of await readdir(join(this.#root, project))) files.push(`${project}/${name}`);
    }
    return files.filter((file) => FILE.test(file)).toSorted();
  }

  async #projects(): Promise<string[]> {
    const entries = await readdir(this.#root, { withFileTypes: true }).catch(noneIfMissing);
    return entries.filter((entry) => entry.isDirectory() && PROJECT.test(entry.name)).map(({ name }) => name);
  }

  #path(file: string): string {
    if (!FILE.test(file) || !PROJECT.test(dirname(file))) {
      throw new TidemarkError('bad-location', 'not a file of the turn store');
    }
    return join(this.#root, file);
  }
}

function fileOf(turn: StoredTurn): string {
  const month = MONTH.exec(turn.startedAt)?.[0];
  if (month === undefined) throw new TidemarkError('bad-turn', `turn ${turn.id} has no valid time`);
  return `${turn.project}/${month}${SUFFIX}`;
}

function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function isoOf(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}
