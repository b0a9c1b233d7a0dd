/**
 * Counts the reads of transcripts that the sweep began and never finished, because the daemon died or hung. The sweep
 * runs at every start, so one such file would end each new daemon. Stored in a small file, written before each read.
 */
import { readText, STATE_BYTES, writeAtomically } from '../files/index.ts';

/** From this count on, only a daemon that has run for a while reads the file, so that events are processed first. */
const SUSPECT_AFTER = 1;
const MIN_UPTIME_MS = 30_000;
/** At this count the file is the cause: it is not read again until it changes. */
const SKIPPED_AFTER = 3;

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

  /** Runs `work` unless the file is suspect. `stamp` changes with the file. Returns false when it did not run. */
  async read(path: string, stamp: string, work: () => Promise<unknown>): Promise<boolean> {
    const { onRead = () => {}, lived = () => process.uptime() * 1000 } = this.#options;
    const counts = (this.#counts ??= await this.#load());
    const key = `${stamp} ${path}`;
    const begun = counts.get(key) ?? 0;
    if (begun >= SKIPPED_AFTER || (begun >= SUSPECT_AFTER && lived() < MIN_UPTIME_MS)) return false;
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
      return new Map(); // no file yet, or a damaged one
    }
  }

  async #save(counts: ReadonlyMap<string, number>): Promise<void> {
    const json = JSON.stringify(Object.fromEntries(counts));
    await writeAtomically(this.#options.file, json, { synced: false });
  }
}
