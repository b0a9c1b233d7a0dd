/**
 * The index: everything derived from journal, turn store, ledger and git, in one SQLite file that may be deleted at any time.
 * Synchronous. Its only writer is the daemon; others open it read-only.
 */
import * as changes from './_changes.ts';
import * as distilling from './_distilling.ts';
import * as embedding from './_embedding.ts';
import * as fileSnapshots from './_file-snapshots.ts';
import * as records from './_records.ts';
import * as sessions from './_sessions.ts';
import { similarTitles } from './_similar-titles.ts';
import { Tables } from './_tables.ts';
import * as team from './_team.ts';
import * as tombstones from './_tombstones.ts';
import * as turns from './_turns.ts';
import * as withoutEntry from './_without-entry.ts';
import * as memories from './memories.ts';

/** The functions that become methods of the index. Each takes the tables as its first argument. */
const QUERIES = {
  ...changes,
  ...distilling,
  ...embedding,
  ...fileSnapshots,
  ...memories,
  ...records,
  ...sessions,
  ...team,
  ...tombstones,
  ...turns,
  ...withoutEntry,
  similarTitles,
};

/** The same functions without their first argument. */
type Bound<Queries> = {
  [Name in keyof Queries]: Queries[Name] extends (tables: Tables, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never;
};

// The static block below adds the methods that this declares.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface MemoryIndex extends Bound<typeof QUERIES> {}

export class MemoryIndex {
  readonly #tables: Tables;

  static {
    for (const [name, query] of Object.entries<(tables: Tables, ...args: never[]) => unknown>(QUERIES)) {
      const method = function (this: MemoryIndex, ...args: never[]): unknown {
        return query(this.#tables, ...args);
      };
      Object.defineProperty(this.prototype, name, { value: method });
    }
  }

  private constructor(tables: Tables) {
    this.#tables = tables;
  }

  /**
   * Opens the index and creates it if there is no file. Throws TidemarkError `index-corrupt` for a damaged file and
   * `index-version` for a file with another schema; the daemon rebuilds both.
   */
  static open(path: string, options: { readonly readOnly?: boolean } = {}): MemoryIndex {
    return new MemoryIndex(new Tables(path, options.readOnly ?? false));
  }

  /** Commits several writes together or none of them. `work` must not be asynchronous. */
  transaction<T>(work: () => T): T {
    return this.#tables.transaction(work);
  }

  /**
   * Writes the log back into the file and empties it, so that deleted text is nowhere on disk. Call it after a memory
   * was forgotten.
   */
  checkpoint(): void {
    this.#tables.all('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#tables.close();
  }
}
