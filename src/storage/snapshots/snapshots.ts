/**
 * Snapshots of ledger, journal, turn store and settings in a folder. Each is a list of files and their pieces, verified
 * when it is made. Never changes the stores; leaves out the index, which can be rebuilt.
 */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { contentHash, TidemarkError, VERSION, type Places } from '../../core/index.ts';
import {
  Mutex,
  openRegular,
  readText,
  makeFolder,
  removeFile,
  replaceFile,
  writeAtomically,
} from '../../files/index.ts';
import { Chunks, CHUNK_BYTES } from './chunks.ts';

const FORMAT = 1;
const NAME = /^\d{8}T\d{6}Z\.json$/;
/** Temporary files, git folders and files of other tools. */
const HIDDEN = /^\./;
/** 300 bytes for each of 100,000 files are 30 MB. */
const MANIFEST_BYTES = 256 * 1024 * 1024;
/** The last seven, and one for each of the four weeks before them. */
const KEEP = { newest: 7, weeks: 4 } as const;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Path = v.pipe(
  v.string(),
  v.regex(/^(?:(?:journal|ledger|turns)\/[^\0\\]+|config\.json)$/),
  v.check((path) => !path.split('/').includes('..')),
);
const StoredFile = v.object({
  path: Path,
  size: Count,
  /** Time of the last write: an unchanged file is recognised without reading it. */
  mtime: v.number(),
  chunks: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});
const Manifest = v.object({
  format: v.literal(FORMAT),
  at: v.string(),
  version: v.string(),
  files: v.array(StoredFile),
});

export type Manifest = v.InferOutput<typeof Manifest>;
export type StoredFile = Manifest['files'][number];

export interface Snapshot {
  readonly name: string;
  readonly at: string;
  readonly files: number;
  readonly bytes: number;
}

export type SnapshotProgress = (facts: { readonly files: number; readonly bytes: number }) => void;

export class Snapshots {
  readonly #folder: string;
  readonly #chunks: Chunks;

  constructor(folder: string) {
    this.#folder = folder;
    this.#chunks = new Chunks(join(folder, 'pieces'));
  }

  /**
   * Makes a snapshot of the stores. Reads the ledger before the journal and the turns, so that everything it refers to is
   * included; later writes are left out.
   */
  async take(places: Places, now: Date, progress: SnapshotProgress = () => {}): Promise<Snapshot> {
    await makeFolder(this.#folder);
    const last = await this.read('latest').catch(() => undefined);
    const known = new Map(last?.files.map((file) => [file.path, file]));
    const files: StoredFile[] = [];
    let bytes = 0;
    for (const folder of ['ledger', 'journal', 'turns'] as const) {
      for (const path of await filesIn(places.home, folder)) {
        const file = await this.store(places.home, path, known.get(path));
        if (file) files.push(file);
        progress({ files: files.length, bytes: (bytes += file?.size ?? 0) });
      }
    }
    const config = await this.store(places.home, 'config.json', known.get('config.json'));
    if (config) files.push(config);
    const manifest: Manifest = { format: FORMAT, at: now.toISOString(), version: VERSION, files };
    const name = await this.#freeName(now);
    await this.write(name, manifest);
    return summaryOf(name, manifest);
  }

  /** Lists the readable snapshots, newest first. */
  async list(): Promise<readonly Snapshot[]> {
    const found: Snapshot[] = [];
    for (const name of await this.names()) {
      const manifest = await this.read(name).catch(() => undefined);
      if (manifest) found.push(summaryOf(name, manifest));
    }
    return found;
  }

  /** Reads every piece of a snapshot. Throws at the first that is missing or damaged. */
  async verify(name: string): Promise<Snapshot> {
    const found = await this.#find(name);
    const manifest = await this.read(found);
    const chunks = new Set(manifest.files.flatMap((file) => file.chunks));
    for (const chunk of chunks) await this.#chunks.get(chunk);
    return summaryOf(found, manifest);
  }

  /** Returns the file names, newest first. */
  async names(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names
      .filter((name) => NAME.test(name))
      .toSorted()
      .toReversed();
  }

  /** Reads a snapshot by its name, the beginning of its name, or `latest`. */
  async read(name: string): Promise<Manifest> {
    const found = await this.#find(name);
    const json = await readText(join(this.#folder, found), MANIFEST_BYTES);
    const { sum, ...manifest } = parseJson(json, found);
    const parsed = v.safeParse(Manifest, manifest);
    if (parsed.success && sum === sumOf(parsed.output)) return parsed.output;
    throw new TidemarkError('snapshot-damaged', `the snapshot ${found} is damaged or from a newer version`);
  }

  async write(name: string, manifest: Manifest): Promise<void> {
    const json = JSON.stringify({ ...manifest, sum: sumOf(manifest) });
    await writeAtomically(join(this.#folder, name), `${json}\n`);
  }

  /** Writes files of a snapshot into a folder. */
  async extract(files: readonly StoredFile[], target: string): Promise<void> {
    for (const file of files) {
      const path = join(target, file.path);
      await makeFolder(dirname(path));
      await replaceFile(path, this.#pieces(file));
    }
  }

  /** Returns the content of one file. */
  async content(file: StoredFile): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.#pieces(file)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Stores a file of `root`; undefined when there is none. `known`: the same file in an earlier snapshot. */
  async store(root: string, path: string, known?: StoredFile): Promise<StoredFile | undefined> {
    const file = await openRegular(join(root, path)).catch(() => undefined);
    if (!file) return undefined;
    try {
      const { size, mtimeMs: mtime } = await file.stat();
      if (known?.size === size && known.mtime === mtime && (await this.#isIntact(known))) return known;
      const chunks: string[] = [];
      let read = 0;
      // Only up to the length it had: while a model answers, the ledger grows faster than pieces are stored.
      while (read < size) {
        const wanted = Math.min(CHUNK_BYTES, size - read);
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, read);
        if (bytesRead === 0) break;
        chunks.push(await this.#chunks.put(buffer.subarray(0, bytesRead)));
        read += bytesRead;
      }
      return { path, size: read, mtime, chunks };
    } finally {
      await file.close();
    }
  }

  /** Removes old snapshots and unused pieces. Returns the names of the removed snapshots. */
  async rotate(now: Date): Promise<readonly string[]> {
    const names = await this.names();
    const dropped = names.filter((name) => !keptNames(names, now).has(name));
    for (const name of dropped) await removeFile(join(this.#folder, name));
    await this.tidy();
    return dropped;
  }

  /** Removes pieces that no snapshot uses. Removes nothing when a snapshot cannot be read, because it may use them. */
  async tidy(): Promise<void> {
    const named = new Set<string>();
    for (const name of await this.names()) {
      const manifest = await this.read(name).catch(() => undefined);
      if (!manifest) return;
      for (const { chunks } of manifest.files) for (const chunk of chunks) named.add(chunk);
    }
    await this.#chunks.keepOnly(named);
  }

  /** Returns an unused name, because two snapshots can fall into the same second. */
  async #freeName(now: Date): Promise<string> {
    const taken = await this.names();
    for (let at = now.getTime(); ; at += 1000) {
      const name = nameOf(new Date(at));
      if (!taken.includes(name)) return name;
    }
  }

  async #find(name: string): Promise<string> {
    const names = await this.names();
    const [found, second] = name === 'latest' ? names : names.filter((one) => one.startsWith(name));
    if (found && (!second || name === 'latest')) return found;
    throw new TidemarkError(
      'not-found',
      name === 'latest'
        ? 'there is no snapshot'
        : `${second ? 'several snapshots begin with' : 'no snapshot'} ${name}`,
      {
        hint: `Looked in ${this.#folder}. List another folder with: tidemark backup list --from <folder>`,
      },
    );
  }

  async #isIntact({ chunks }: StoredFile): Promise<boolean> {
    for (const chunk of chunks) if (!(await this.#chunks.isIntact(chunk))) return false;
    return true;
  }

  async *#pieces({ chunks }: StoredFile): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield await this.#chunks.get(chunk);
  }
}

async function filesIn(home: string, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(home, folder), { withFileTypes: true }).catch(() => [])) {
    if (HIDDEN.test(entry.name)) continue;
    const path = `${folder}/${entry.name}`;
    // A project's journal may be a link to another folder; other links are not followed.
    const isLinked = folder === 'journal' && entry.isSymbolicLink();
    if (entry.isDirectory() || isLinked) found.push(...(await filesIn(home, path)));
    else if (entry.isFile()) found.push(path);
  }
  return found.toSorted();
}

/** Returns when the newest snapshot of a folder was made. */
export async function lastSnapshotAt(folder: string): Promise<Date | undefined> {
  const [newest] = await new Snapshots(folder).names();
  return newest === undefined ? undefined : (await stat(join(folder, newest))).mtime;
}

function keptNames(names: readonly string[], now: Date): ReadonlySet<string> {
  const kept = new Set(names.slice(0, KEEP.newest));
  for (let week = 0; week < KEEP.weeks; week++) {
    const from = nameOf(new Date(now.getTime() - (week + 2) * WEEK_MS));
    const to = nameOf(new Date(now.getTime() - (week + 1) * WEEK_MS));
    const oldest = names.findLast((name) => name >= from && name < to);
    if (oldest) kept.add(oldest);
  }
  return kept;
}

/** `20261115T101500Z.json` */
function nameOf(at: Date): string {
  return `${at.toISOString().replace(/[-:]|\.\d+/g, '')}.json`;
}

function summaryOf(name: string, { at, files }: Manifest): Snapshot {
  return {
    name: name.replace(/\.json$/, ''),
    at,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  };
}

function sumOf(manifest: Manifest): string {
  return contentHash(JSON.stringify(manifest));
}

function parseJson(json: string, name: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>; // checked by the caller
  } catch (cause) {
    throw new TidemarkError('snapshot-damaged', `the snapshot ${name} is damaged`, { cause });
  }
}

/** Snapshots are made and erased one at a time, because a rotation would delete pieces that a new snapshot needs. */
export const snapshotLock = new Mutex();
