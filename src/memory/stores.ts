/** Opens the stores of the writer. An index that is damaged or has another schema is rebuilt from the other stores. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { TidemarkError, type Places, type SessionSummary, type StoredTurn } from '../core/index.ts';
import { MemoryIndex } from '../database/index.ts';
import type { ReportProblem } from '../files/index.ts';
import { finishMoves, Journal, type JournalOptions } from '../storage/journal/index.ts';
import { Ledger } from '../storage/ledger/index.ts';
import { TurnStore } from '../storage/turns/index.ts';

/** Makes the title and the summary of a session from its turns. */
export interface SessionText {
  title(turns: readonly StoredTurn[]): string;
  summary(turns: readonly StoredTurn[]): SessionSummary;
}

/** The parts of the stores that come from folders above this one. */
export interface StoreParts {
  readonly sessionText: SessionText;
}

export interface Stores {
  readonly index: MemoryIndex;
  readonly journal: Journal;
  readonly turns: TurnStore;
  readonly ledger: Ledger;
  readonly sessionText: SessionText;
  /** Tells whether new memories of this project wait for review. Reads the settings each time. */
  readonly needsReview: (root: string | undefined) => boolean;
  /** Tells whether notes in the agent's answers are stored. Reads the settings each time. */
  readonly takesNotes: () => boolean;
}

export interface OpenedStores {
  readonly stores: Stores;
  /** The reason why the index must be rebuilt before it is used; undefined if it is complete. */
  readonly rebuild: string | undefined;
}

/** Set when the index is complete; missing after an interrupted rebuild. */
export const BUILT = 'built';
/** Time and reason of the last rebuild that the user did not ask for; shown by `doctor`. */
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
    journal: new Journal(places.journal, journalOptions(places)),
    turns: await TurnStore.open(places.turns),
    ledger: await Ledger.open(places.ledger, { report: onLedgerProblem }),
    sessionText: parts.sessionText,
    needsReview: (root: string | undefined) =>
      loadConfig({ places, env: process.env, ...(root ? { projectDir: root } : {}) }).values['notes.review'],
    takesNotes: () => loadConfig({ places, env: process.env }).values['capture.agentNotes'] !== 'off',
  };
  return { stores, rebuild };
}

/** The settings are read again after this time. */
const SETTINGS_MS = 1000;

/** Reads the machine's name for every file, so that a new name needs no restart. */
function journalOptions(places: Places): JournalOptions {
  let known = { at: -Infinity, machine: '' };
  return {
    get machine() {
      const at = performance.now();
      if (at - known.at > SETTINGS_MS)
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
    if (!(error instanceof TidemarkError)) throw error;
    const rebuild = error.message;
    // A file with another schema stays until the rebuild has taken its vectors. Until then the index is empty.
    if (error.code === 'index-version') return { index: MemoryIndex.open(':memory:'), rebuild };
    // A full disk or a missing permission is no reason to rebuild.
    if (error.code !== 'index-corrupt') throw error;
    removeIndex(path);
    return { index: MemoryIndex.open(path), rebuild };
  }
}

export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true, recursive: true });
}
