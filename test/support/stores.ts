/** Reads a data folder without the daemon, to count what is stored, and how often. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Memory, Places, StoredTurn } from '../../src/core/index.ts';
import { parseDay, type JournalProblem } from '../../src/storage/journal/index.ts';

export interface JournalContent {
  readonly memories: readonly Memory[];
  readonly problems: readonly JournalProblem[];
  /** The text of every file, by its path below the journal. */
  readonly files: ReadonlyMap<string, string>;
}

export function readJournal(places: Places): JournalContent {
  const files = new Map(
    filesIn(places.journal, '.md').map((path) => [path, readFileSync(join(places.journal, path), 'utf8')]),
  );
  const days = [...files].map(([path, text]) => {
    const [project = '', name = ''] = path.split('/');
    return parseDay(text, { project, date: name.slice(0, 10), file: path });
  });
  return {
    memories: days.flatMap(({ entries }) => entries.map(({ memory }) => memory)),
    problems: days.flatMap(({ problems }) => problems),
    files,
  };
}

/** Every revision of every turn, in the order written. Throws on anything that is not a complete turn. */
export function readTurnStore(places: Places): readonly (StoredTurn & { readonly file: string })[] {
  return filesIn(places.turns, '.jsonl.gz').flatMap((file) =>
    gunzipSync(readFileSync(join(places.turns, file)))
      .toString('utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => ({ ...(JSON.parse(line) as StoredTurn), file })),
  );
}

/** Every line of the ledger; the one that is being written is none yet. Throws on a line that is not JSON. */
export function readLedger(places: Places): readonly Readonly<Record<string, unknown>>[] {
  return ledgerFiles(places).flatMap((text) =>
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );
}

/** The text of each file of the ledger. */
export function ledgerFiles(places: Places): readonly string[] {
  return filesIn(places.ledger, '.jsonl').map((file) => readFileSync(join(places.ledger, file), 'utf8'));
}

function filesIn(root: string, ending: string): readonly string[] {
  try {
    return readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .toSorted();
  } catch {
    return []; // nothing was ever stored
  }
}
