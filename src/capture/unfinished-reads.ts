/**
 * Counts the transcripts that the sweep began to read and never finished, because the daemon died or hung meanwhile. The
 * sweep runs at every start, so one such file would end each new daemon. Kept in a small file, written before each read.
 */
import { readText, STATE_BYTES, writeAtomically } from '../files/index.ts';

/** From then on a file is read only by a daemon that has lived for a while, so that events are processed in between. */
const DOUBTED_AFTER = 1;
const LIVED_MS = 30_000;
/** Then the file is the cause, and is not read again until it changes. */
const GIVEN_UP_AFTER = 3;

export interface UnfinishedReadsOptions {
  readonly file: string;
  /** Called before a read and after it. */
  readonly onRead?: (name: 'reading' | 'read', path: string) => void;
  /** Milliseconds since the daemon was started. */
  readonly lived?: () => number;
}

export class UnfinishedReads {
  readonly #options: UnfinishedReadsOptions;
  #counts: Map<string, number> | undefined;

  constructor(options: UnfinishedReadsOptions) {
    this.#options = options;
  }

  /** Runs `work` unless the file is doubted. `stamp` changes with the file. False when the file was left alone. */
  async read(path: string, stamp: string, work: () => Promise<unknown>): Promise<boolean> {
    const { onRead = () => {}, lived = () => process.uptime() * 1000 } = this.#options;
    const counts = (this.#counts ??= await this.#load());
    const key = `${stamp} ${path}`;
    const begun = counts.get(key) ?? 0;
    if (begun >= GIVEN_UP_AFTER || (begun >= DOUBTED_AFTER && lived() < LIVED_MS)) return false;
    counts.set(key, begun + 1);
    await this.#save(counts);
    onRead('reading', path);
    try {
      await work();
    } finally {
      onRead('read', path);
      counts.delete(key);
      await this.#save(counts);
    }
    return true;
  }

  async #load(): Promise<Map<string, number>> {
    try {
      const counts = JSON.parse(await readText(this.#options.file, STATE_BYTES)) as Record<string, unknown>;
      return new Map(Object.entries(counts).map(([key, count]) => [key, Number(count) || 0]));
    } catch {
      return new Map(); // none yet, or damaged: then every file counts as new
    }
  }

  async #save(counts: ReadonlyMap<string, number>): Promise<void> {
    const json = JSON.stringify(Object.fromEntries(counts));
    await writeAtomically(this.#options.file, json, { synced: false });
  }
}
