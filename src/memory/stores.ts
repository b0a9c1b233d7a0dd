/** The stores the writer owns, opened together; a broken index is thrown away and rebuilt, the others are the truth. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { TidemarkError, type Places, type SessionSummary, type StoredTurn } from '../core/index.ts';
import { MemoryIndex } from '../database/index.ts';
import type { ReportProblem } from '../files/index.ts';
import { finishMoves, Journal, type JournalOptions } from '../storage/journal/index.ts';
import { Ledger } from '../storage/ledger/index.ts';
import { TurnStore } from '../storage/turns/index.ts';

/** Writes the project pages of the journal. */
export interface ProjectPageWriter {
  /** Marks a project's page as outdated; it is written a moment later. */
  touch(project: string): void;
  /** Writes every outdated page now. */
  flush(): Promise<void>;
}

/** Makes the title and the summary of a session from its turns. */
export interface SessionText {
  title(turns: readonly StoredTurn[]): string;
  summary(turns: readonly StoredTurn[]): SessionSummary;
}

/** The parts of the stores that come from folders above this one. */
export interface StoreParts {
  readonly pages: (stores: () => Pick<Stores, 'index' | 'journal'>) => ProjectPageWriter;
  readonly sessionText: SessionText;
}

export interface Stores {
  readonly index: MemoryIndex;
  readonly journal: Journal;
  readonly turns: TurnStore;
  readonly ledger: Ledger;
  readonly pages: ProjectPageWriter;
  readonly sessionText: SessionText;
  /** Whether new memories of this project wait for a person's yes; asked of the settings each time. */
  readonly needsReview: (root: string | undefined) => boolean;
}

export interface OpenedStores {
  readonly stores: Stores;
  /** Why the index has to be rebuilt before it can be believed, if it has to. */
  readonly rebuild: string | undefined;
}

/** Set once the index holds all there is: without it a rebuild was cut short. */
export const BUILT = 'built';
/** When the index was built anew by itself, and why, for `doctor`. */
export const REBUILT = 'rebuilt';

export async function openStoresWith(
  parts: StoreParts,
  places: Places,
  onLedgerProblem: ReportProblem = () => {},
): Promise<OpenedStores> {
  for (const folder of [places.home, places.journal, places.turns, places.ledger, dirname(places.index)]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  await finishMoves(places.journal);
  const { index, rebuild } = openIndex(places.index);
  const stores: Stores = {
    index,
    journal: new Journal(places.journal, sharedBy(places)),
    turns: await TurnStore.open(places.turns),
    ledger: await Ledger.open(places.ledger, { report: onLedgerProblem }),
    pages: parts.pages(() => stores),
    sessionText: parts.sessionText,
    needsReview: (root: string | undefined) =>
      loadConfig({ places, env: process.env, ...(root ? { projectDir: root } : {}) }).values[
        'distill.review'
      ],
  };
  return { stores, rebuild };
}

/** How long the settings are believed without another look. */
const SETTINGS_FOR_MS = 1000;

/** Asked for with every file: a name given to this machine counts at once, without a restart. */
function sharedBy(places: Places): JournalOptions {
  let known = { at: -Infinity, machine: '' };
  return {
    get machine() {
      const at = performance.now();
      if (at - known.at > SETTINGS_FOR_MS)
        known = { at, machine: loadConfig({ places, env: process.env }).values['journal.machine'] };
      return known.machine || undefined;
    },
  };
}

function openIndex(path: string): { index: MemoryIndex; rebuild: string | undefined } {
  try {
    const index = MemoryIndex.open(path);
    return { index, rebuild: index.meta(BUILT) === undefined ? 'the index is new' : undefined };
  } catch (error) {
    // A full disk or a missing permission is no reason to throw anything away.
    if (!(error instanceof TidemarkError) || !['index-corrupt', 'index-newer'].includes(error.code))
      throw error;
    removeIndex(path);
    return { index: MemoryIndex.open(path), rebuild: error.message };
  }
}

export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true, recursive: true });
}
